# LIBDOUBT.  `make help` lists what can be made; CC, CFLAGS, CPPFLAGS and LDFLAGS are yours.

CC      ?= cc
CFLAGS  ?= -O3 -g
BUILD   ?= build
BIN     ?=

# Side by side, unless -j says how: as many as there are processors, but four where a container may have fewer
# than its machine.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell n=$$(getconf _NPROCESSORS_ONLN 2> /dev/null); echo $$((n > 4 ? 4 : n > 0 ? n : 1)))
endif

# Both become parts of targets, which hold no blank, and clean removes all of BUILD.
ifneq ($(words $(BUILD)) $(filter-out 0 1,$(words $(BIN))),1 )
$(error BUILD and BIN are names of folders, without a blank)
endif
KEPT  = .ci .git .github bench common data debian doc examples experiments learners man tests tools
PLACE = $(or $(patsubst %/,%,$(patsubst ./%,%,$(BUILD))),/)
ifneq ($(filter . .. /,$(PLACE))$(filter $(KEPT),$(firstword $(subst /, ,$(PLACE)))),)
$(error BUILD is removed by make clean: it must be a folder of its own)
endif
ifneq ($(BIN),)
override BIN := $(patsubst %/,%,$(BIN))/
endif

PROGRAMS = $(patsubst %.c,%,$(sort $(wildcard *.c)))
TOOLS    = $(patsubst tools/%.c,%,$(sort $(wildcard tools/*.c)))
ALL      = $(PROGRAMS) $(TOOLS)
VERSION  = $(shell sed -n 's/.*LIBDOUBT_VERSION "\(.*\)"/\1/p' common/program/version.h)

# A command begins with $(call say,CC): it is shown as one line, `CC name of the target`; V=1 shows all of it,
# and -s nothing.
ifneq ($(V),1)
  ifeq ($(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),)
    say = @printf '%-3s %s\n' '$(1)' '$(patsubst $(BUILD)/%,%,$(or $(2),$@))';
  endif
endif

# What the promised numbers need, whatever CFLAGS says (hence after them): no fused multiply-add, nothing
# reordered, NaN is NaN.  Nothing reads errno after a square root, and without it gcc vectorises them.
# Files of more than 2 GB also where a long has 32 bits.
STRICT   = -std=c11 -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64 $(BEYOND_POSIX) \
           -fno-fast-math -ffp-contract=off -fno-math-errno -pthread
# sysconf's names for the number of processors and the size of memory are not in POSIX, so macOS and
# FreeBSD hide them from programs that ask for POSIX.  Elsewhere these two do nothing.
BEYOND_POSIX = -D_DARWIN_C_SOURCE -D__BSD_VISIBLE=1
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
           -Wformat=2 -Wwrite-strings -Wundef -Wframe-larger-than=24576
# Programs run on a main stack of 64 KB, so no frame is large (see also common/base/parallel.c); tests may.
$(BUILD)/tests/%: WARNINGS += -Wno-frame-larger-than
# Unit tests take longer to be optimised than to run.
$(BUILD)/tests/unit/test_%.o: private override CFLAGS := $(patsubst -O3,-O1,$(patsubst -O2,-O1,$(CFLAGS)))
COMPILE  = $(CC) -I. $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(STRICT) -MMD -MP
# With these the linker adds code that flushes denormal numbers to 0, which -fno-fast-math does not prevent.
FAST     = -ffast-math -funsafe-math-optimizations -mdaz-ftz
LINK     = $(CC) $(patsubst -Ofast,-O3,$(filter-out $(FAST),$(CFLAGS) $(LDFLAGS))) -pthread

# reduce_mpi.c needs MPI: see `mpi` below.
LIBRARY  = $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_mpi.c,$(sort $(wildcard common/*/*.c learners/*/*.c))))
UNIT     = $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ     = $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FAULTY   = $(addprefix $(BUILD)/tests/faulty/,$(ALL))
EXAMPLES = $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard examples/*.c)))
NEW_RULE = $(BUILD)/tests/new_rule
TESTS    = $(addprefix $(BUILD)/tests/,$(UNIT) $(FUZZ)) $(FAULTY) $(EXAMPLES) \
           $(addprefix $(NEW_RULE)/,arow-train rcnbf-train)

.PHONY: all mpi help test check fuzz demo bench experiments man install uninstall dist static clean
.SECONDARY:
.DELETE_ON_ERROR:

all: $(addprefix $(BIN),$(ALL)) ## the programs, in this folder or in BIN

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z ]*:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile install.mk
	@echo 'Another build beside this one: make BUILD=build/o1 BIN=build/o1/bin/ CFLAGS=-O1'
	@echo 'Whole commands: make V=1'

$(addprefix $(BIN),$(PROGRAMS)): $(BIN)%: $(BUILD)/%.o $(BUILD)/libdoubt.a
	@mkdir -p $(@D)
	$(call say,LD)$(LINK) -o $@ $^ -lm

$(addprefix $(BIN),$(TOOLS)): $(BIN)%: $(BUILD)/tools/%.o $(BUILD)/libdoubt.a
	@mkdir -p $(@D)
	$(call say,LD)$(LINK) -o $@ $^ -lm

$(BUILD)/libdoubt.a: $(LIBRARY)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)$(COMPILE) -c -o $@ $<

# ---- several ranks ----

# The same programs, linked with what lets several of them work together (common/base/reduce.h).  The other
# objects are those of the ordinary build.
MPICC       ?= mpicc
MPI_PROGRAMS = forward-train arow-train uma-train suspects confusion
MPI          = $(BUILD)/mpi/common/base/reduce_mpi.o $(BUILD)/libdoubt.a

mpi: $(patsubst %,$(BIN)%-mpi,$(MPI_PROGRAMS)) ## programs for several machines (Debian: libopenmpi-dev)

$(BUILD)/mpi/%.o $(BIN)%-mpi $(BUILD)/tests/mpi/%: private override CC = $(MPICC)
$(BUILD)/mpi/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)$(COMPILE) -c -o $@ $<

$(BIN)%-mpi: $(BUILD)/%.o $(MPI)
	@mkdir -p $(@D)
	$(call say,LD)$(LINK) -o $@ $^ -lm

$(BIN)%-mpi: $(BUILD)/tools/%.o $(MPI)
	@mkdir -p $(@D)
	$(call say,LD)$(LINK) -o $@ $^ -lm

# For tests/script/mpi.sh, one of the long tests, which is left out where there is no MPI.
MPI_TESTS = $(if $(TEST_ALL)$(TEST_LONG),$(if $(shell command -v $(MPICC) 2> /dev/null),mpi \
            $(BUILD)/tests/mpi/test_reduce))

$(BUILD)/tests/mpi/test_reduce: $(BUILD)/tests/unit/test_reduce.o $(MPI)
	@mkdir -p $(@D)
	$(call say,LD)$(LINK) -o $@ $^ -lm

# ---- tests ----

test check: all $(TESTS) $(MPI_TESTS) ## the tests (TEST_LONG=1: long ones, too); the last line is `N passed, N failed`
	@tests/run "$(BIN)" "$(BUILD)/tests"

$(BUILD)/tests/test_%: $(BUILD)/tests/unit/test_%.o $(BUILD)/libdoubt.a
	$(call say,LD)$(LINK) -o $@ $^ -lm

# Tests of a family of learners are linked with its plain-loop reference.
$(BUILD)/tests/test_uma_%: $(BUILD)/tests/unit/test_uma_%.o $(BUILD)/tests/unit/uma_plain.o \
		$(BUILD)/libdoubt.a
	$(call say,LD)$(LINK) -o $@ $^ -lm

$(BUILD)/tests/test_bandit_%: $(BUILD)/tests/unit/test_bandit_%.o $(BUILD)/tests/unit/bandit_plain.o \
		$(BUILD)/libdoubt.a
	$(call say,LD)$(LINK) -o $@ $^ -lm

$(BUILD)/tests/test_musvm_%: $(BUILD)/tests/unit/test_musvm_%.o $(BUILD)/tests/unit/musvm_plain.o \
		$(BUILD)/libdoubt.a
	$(call say,LD)$(LINK) -o $@ $^ -lm

$(BUILD)/examples/%: $(BUILD)/examples/%.o $(BUILD)/libdoubt.a
	$(call say,LD)$(LINK) -o $@ $^ -lm

# arow-train and rcnbf-train with a rule more, the examples of CONTRIBUTING.md: their files come before the
# tree's, and are made once for both programs, which make -j builds side by side.
$(NEW_RULE)/arow-train: FAMILY = online
$(NEW_RULE)/rcnbf-train: FAMILY = bandit
$(NEW_RULE)/made: CONTRIBUTING.md tests/new_rule learners/online/online_rules.h \
		learners/bandit/bandit_rule.h
	@tests/new_rule $(NEW_RULE)
	@touch $@

$(NEW_RULE)/%-train: $(NEW_RULE)/made %-train.c $(wildcard learners/online/*.[ch] learners/bandit/*.[ch]) \
		$(BUILD)/libdoubt.a
	$(call say,LD)$(filter-out -MMD -MP,$(subst -I.,-I$(NEW_RULE) -I.,$(COMPILE))) -O0 $(LDFLAGS) -o $@ \
	  $*-train.c $(wildcard learners/$(FAMILY)/*.c) $(NEW_RULE)/learners/$(FAMILY)/*.c $(BUILD)/libdoubt.a -lm

# Each fuzz target with a driver that mutates the seeds in a fixed way.
$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/support.o \
		$(BUILD)/tests/fuzz/driver.o $(BUILD)/libdoubt.a
	$(call say,LD)$(LINK) -o $@ $^ -lm

# And with clang's engine: each for RUNS executions more, from the seeds and what earlier runs found.
RUNS        ?= 1000000
FUZZ_SEED   ?= 1
FUZZ_CFLAGS  = -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
               -fno-sanitize-recover=all
FUZZ_LIMITS  = -max_len=4096 -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512

fuzz: ## the fuzz targets under clang's engine, RUNS=1000000 executions each
	$(MAKE) CC=clang CFLAGS="$(FUZZ_CFLAGS)" BUILD="$(BUILD)/fuzz" $(addprefix run_,$(FUZZ))

$(BUILD)/engine/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/support.o $(BUILD)/libdoubt.a
	@mkdir -p $(@D)
	$(call say,LD)$(LINK) -fsanitize=fuzzer -o $@ $^ -lm

run_fuzz_%: $(BUILD)/tests/fuzz_% $(BUILD)/engine/fuzz_%
	@tests/fuzz/run "$(BUILD)" fuzz_$* -runs=$(RUNS) -seed=$(FUZZ_SEED) $(FUZZ_LIMITS)

# The programs with an allocator and temporary files that fail on demand.
$(BUILD)/tests/faulty/memory.o: common/base/memory.c
	@mkdir -p $(@D)
	$(call say,CC)$(COMPILE) -DMEMORY_TEST -c -o $@ $<

$(BUILD)/tests/faulty/disk_file.o: common/base/disk_file.c
	@mkdir -p $(@D)
	$(call say,CC)$(COMPILE) -DDISK_FILE_TEST -c -o $@ $<

FAILING = $(addprefix $(BUILD)/tests/faulty/,memory.o disk_file.o) \
          $(addprefix $(BUILD)/tests/faults/,allocator.o disk.o) $(BUILD)/libdoubt.a

$(addprefix $(BUILD)/tests/faulty/,$(PROGRAMS)): $(BUILD)/tests/faulty/%: $(BUILD)/%.o $(FAILING)
	$(call say,LD)$(LINK) -o $@ $^ -lm

$(addprefix $(BUILD)/tests/faulty/,$(TOOLS)): $(BUILD)/tests/faulty/%: $(BUILD)/tools/%.o $(FAILING)
	$(call say,LD)$(LINK) -o $@ $^ -lm

# ---- the rest ----

demo: all ## label noise on real data: what it does, and what undoes it
	@BIN="$(or $(BIN),./)" examples/demo.sh

BENCHES = $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard bench/*.c)))
bench: all $(BENCHES) ## speed beside the tools that are installed (DATA: a folder of data sets)
	@BUILD=$(BUILD) BIN=$(BIN) DATA="$(DATA)" bench/run

# In an order in which the short ones come first; each resumes where it was stopped.
experiments: all ## the papers' tables and figures from the files in DATA (hours; QUICK=1: minutes, on data/)
	@PROGRAMS="$(or $(BIN),.)" DATA="$(DATA)" QUICK="$(QUICK)" experiments/run

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/libdoubt.a
	$(call say,LD)$(LINK) -o $@ $^ -lm

$(BUILD)/bench/uma_%: $(BUILD)/bench/uma_%.o $(BUILD)/tests/unit/uma_plain.o $(BUILD)/libdoubt.a
	$(call say,LD)$(LINK) -o $@ $^ -lm

man: all ## the manual pages in man/, from the programs' option tables and from doc/
	@mkdir -p man
	$(call say,MAN,man/*.1)for p in $(ALL); do $(BIN)./$$p --man > man/$$p.1 || exit 1; done
	$(call say,MAN,man/libdoubt.*)sh man/pages.sh man

include install.mk

clean: ## remove BUILD and the programs
	rm -rf $(BUILD) $(addprefix $(BIN),$(ALL)) $(patsubst %,$(BIN)%-mpi,$(MPI_PROGRAMS))

# The headers that each object of this build depends on.
-include $(wildcard $(patsubst %.c,$(BUILD)/%.d,$(wildcard *.c */*.c */*/*.c)) \
	$(addprefix $(BUILD)/tests/faulty/,memory.d disk_file.d) $(BUILD)/mpi/common/base/reduce_mpi.d)
