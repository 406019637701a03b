# LIBDOUBT.
#
#   make            the programs, in this folder            make demo     label noise on real data: what it does, and what undoes it
#   make test       all tests (also: make check)            make bench    ratios against the tools that are installed
#   make install    PREFIX=/usr/local DESTDIR=              make man      the manual pages in man/, from the programs' option tables
#   make fuzz       RUNS=1000000: the fuzz targets under clang's engine (CONTRIBUTING.md)
#
# CC, CFLAGS, CPPFLAGS and LDFLAGS are yours.  Another build beside this one: make BUILD=build/asan BIN=build/asan/ CFLAGS=...

CC      ?= cc
CFLAGS  ?= -O3 -g
PREFIX  ?= /usr/local
BUILD   ?= build
BIN     ?=

# Both become parts of targets, where make knows no blanks, and BUILD is removed as a whole by clean.
ifneq ($(words $(BUILD)) $(filter-out 0 1,$(words $(BIN))),1 )
$(error BUILD and BIN are names of folders, without a blank)
endif
SOURCES = bench common data examples experiments learners man tests tools
ifneq ($(filter . .. / $(SOURCES),$(or $(patsubst %/,%,$(patsubst ./%,%,$(BUILD))),/)),)
$(error BUILD is removed by make clean: it must be a folder of its own)
endif
ifneq ($(BIN),)
override BIN := $(patsubst %/,%,$(BIN))/
endif

VERSION  = 0.1.0
PROGRAMS = arow-train arow-predict forward-train forward-predict musvm-train musvm-predict rcnbf-train rcnbf-predict uma-train uma-predict
TOOLS    = arow-merge confusion fourier kpca-project kpca-train label-noise suspects synth universum
ALL      = $(PROGRAMS) $(TOOLS)

# What the promised numbers need, whatever CFLAGS says (so behind it): no fused multiply-add, nothing reordered, NaN is NaN.
# Nobody looks at errno after a square root, and without it a row of them is one instruction.
STRICT   = -std=c11 -D_XOPEN_SOURCE=700 $(BEYOND_POSIX) -fno-fast-math -ffp-contract=off -fno-math-errno -pthread
# sysconf tells processors and memory by names that are not POSIX's, which macOS and FreeBSD hide from programs that ask for POSIX;
# elsewhere these two say nothing.
BEYOND_POSIX = -D_DARWIN_C_SOURCE -D__BSD_VISIBLE=1
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
           -Wwrite-strings -Wundef -Wframe-larger-than=24576
# Programs run on a main stack of 64 KB, so no frame is large (see also common/base/parallel.c); tests may.
$(BUILD)/tests/%: WARNINGS += -Wno-frame-larger-than
COMPILE  = $(CC) -I. $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(STRICT) -MMD -MP
# By these the linker adds code that takes denormal numbers for 0 from the start, and -fno-fast-math behind them does not stop it.
FAST     = -ffast-math -funsafe-math-optimizations -mdaz-ftz
LINK     = $(CC) $(patsubst -Ofast,-O3,$(filter-out $(FAST),$(CFLAGS) $(LDFLAGS))) -pthread

LIBRARY  = $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard common/*/*.c learners/*/*.c)))
UNIT     = $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ     = $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FAULTY   = $(addprefix $(BUILD)/tests/faulty/,$(ALL))
TESTS    = $(addprefix $(BUILD)/tests/,$(UNIT) $(FUZZ)) $(FAULTY)

.PHONY: all test check fuzz demo bench man install uninstall dist clean
.SECONDARY:

all: $(addprefix $(BIN),$(ALL))

$(addprefix $(BIN),$(PROGRAMS)): $(BIN)%: $(BUILD)/%.o $(BUILD)/libdoubt.a
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lm

$(addprefix $(BIN),$(TOOLS)): $(BIN)%: $(BUILD)/tools/%.o $(BUILD)/libdoubt.a
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lm

$(BUILD)/libdoubt.a: $(LIBRARY)
	rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# ---- tests ----

test check: all $(TESTS)
	@tests/run "$(BIN)" "$(BUILD)/tests"

$(BUILD)/tests/test_%: $(BUILD)/tests/unit/test_%.o $(BUILD)/libdoubt.a
	$(LINK) -o $@ $^ -lm

# The tests of UMA, with its plain loop.
$(BUILD)/tests/test_uma_%: $(BUILD)/tests/unit/test_uma_%.o $(BUILD)/tests/unit/uma_plain.o $(BUILD)/libdoubt.a
	$(LINK) -o $@ $^ -lm

# Those of the learners from bandit feedback, with their plain reference.
$(BUILD)/tests/test_bandit_%: $(BUILD)/tests/unit/test_bandit_%.o $(BUILD)/tests/unit/bandit_plain.o $(BUILD)/libdoubt.a
	$(LINK) -o $@ $^ -lm

# Those of MU-SVM, with its plain reference.
$(BUILD)/tests/test_musvm_%: $(BUILD)/tests/unit/test_musvm_%.o $(BUILD)/tests/unit/musvm_plain.o $(BUILD)/libdoubt.a
	$(LINK) -o $@ $^ -lm

# Each fuzz target with a driver that mutates the seeds in a fixed way.
$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/support.o $(BUILD)/tests/fuzz/driver.o $(BUILD)/libdoubt.a
	$(LINK) -o $@ $^ -lm

# And with clang's engine: each for RUNS executions more, from the seeds and what earlier runs found.
RUNS        ?= 1000000
FUZZ_SEED   ?= 1
FUZZ_CFLAGS  = -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_LIMITS  = -max_len=4096 -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512

fuzz:
	$(MAKE) CC=clang CFLAGS="$(FUZZ_CFLAGS)" BUILD="$(BUILD)/fuzz" $(addprefix run_,$(FUZZ))

$(BUILD)/engine/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/support.o $(BUILD)/libdoubt.a
	@mkdir -p $(@D)
	$(LINK) -fsanitize=fuzzer -o $@ $^ -lm

run_fuzz_%: $(BUILD)/tests/fuzz_% $(BUILD)/engine/fuzz_%
	tests/fuzz/run "$(BUILD)" fuzz_$* -runs=$(RUNS) -seed=$(FUZZ_SEED) $(FUZZ_LIMITS)

# The programs with an allocator that fails on demand.
$(BUILD)/tests/faulty/memory.o: common/base/memory.c
	@mkdir -p $(@D)
	$(COMPILE) -DMEMORY_TEST -c -o $@ $<

$(addprefix $(BUILD)/tests/faulty/,$(PROGRAMS)): $(BUILD)/tests/faulty/%: $(BUILD)/%.o $(BUILD)/tests/faulty/memory.o \
		$(BUILD)/tests/faults/allocator.o $(BUILD)/libdoubt.a
	$(LINK) -o $@ $^ -lm

$(addprefix $(BUILD)/tests/faulty/,$(TOOLS)): $(BUILD)/tests/faulty/%: $(BUILD)/tools/%.o $(BUILD)/tests/faulty/memory.o \
		$(BUILD)/tests/faults/allocator.o $(BUILD)/libdoubt.a
	$(LINK) -o $@ $^ -lm

# ---- the rest ----

demo: all
	@BIN="$(or $(BIN),./)" examples/demo.sh

bench: all $(BUILD)/bench/make_sparse $(BUILD)/bench/parse_only $(BUILD)/bench/dense $(BUILD)/bench/uma_plain
	@BUILD=$(BUILD) DATA="$(DATA)" bench/run

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/libdoubt.a
	$(LINK) -o $@ $^ -lm

$(BUILD)/bench/uma_%: $(BUILD)/bench/uma_%.o $(BUILD)/tests/unit/uma_plain.o $(BUILD)/libdoubt.a
	$(LINK) -o $@ $^ -lm

man: all
	@mkdir -p man
	for p in $(ALL); do $(BIN)./$$p --man > man/$$p.1 || exit 1; done

install: all
	for d in "" /bin /share /share/man /share/man/man1; do \
	  [ -d "$(DESTDIR)$(PREFIX)$$d" ] || install -d -m 755 "$(DESTDIR)$(PREFIX)$$d" || exit 1; done
	for p in $(ALL); do install -m 755 "$(BIN)$$p" "$(DESTDIR)$(PREFIX)/bin/$$p" \
	  && install -m 644 "man/$$p.1" "$(DESTDIR)$(PREFIX)/share/man/man1/$$p.1" || exit 1; done

uninstall:
	for p in $(ALL); do rm -f "$(DESTDIR)$(PREFIX)/bin/$$p" "$(DESTDIR)$(PREFIX)/share/man/man1/$$p.1"; done

# What is committed; where there is no repository, in an unpacked tarball, all that is no product.
PACKAGE = libdoubt-$(VERSION)
dist:
	@mkdir -p $(BUILD)
	rm -rf $(BUILD)/$(PACKAGE)
	if [ -e .git ]; then git archive --prefix=$(PACKAGE)/ HEAD | (cd $(BUILD) && tar xf -); else \
	  find . -path "./$(patsubst ./%,%,$(patsubst %/,%,$(BUILD)))" -prune -o -type f $(foreach p,$(ALL),! -path "./$(BIN)$p") -print \
	    | while read -r f; do mkdir -p "$(BUILD)/$(PACKAGE)/$${f%/*}" && cp -p "$$f" "$(BUILD)/$(PACKAGE)/$$f" || exit 1; done; fi
	cd $(BUILD) && tar cf - $(PACKAGE) | gzip -9n > $(PACKAGE).tar.gz && rm -rf $(PACKAGE)

clean:
	rm -rf $(BUILD) $(addprefix $(BIN),$(ALL))

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
