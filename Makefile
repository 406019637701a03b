# LIBDOUBT.  make: the programs, in this folder; make demo; make test; make install PREFIX=/usr/local DESTDIR=
CC      ?= cc
CFLAGS  ?= -O3 -g
PREFIX  ?= /usr/local
BUILD   ?= build

VERSION  = 0.1.0
PROGRAMS = arow-train arow-predict
TOOLS    = arow-merge label-noise
ALL      = $(PROGRAMS) $(TOOLS)

# What the promised numbers need, whatever CFLAGS says: no fused multiply-add, no reordering.
STRICT   = -std=c11 -D_XOPEN_SOURCE=700 -ffp-contract=off -pthread
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
           -Wwrite-strings -Wundef
COMPILE  = $(CC) $(STRICT) $(WARNINGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP

LIBRARY  = $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard common/*.c learners/*.c)))

all: $(ALL)

$(PROGRAMS): %: $(BUILD)/%.o $(BUILD)/libdoubt.a
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ -lm

$(TOOLS): %: $(BUILD)/tools/%.o $(BUILD)/libdoubt.a
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ -lm

$(BUILD)/libdoubt.a: $(LIBRARY)
	rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
