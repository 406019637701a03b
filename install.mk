# A part of the Makefile: what leaves the tree, installed, static or as a tarball.

PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR     ?= $(PREFIX)/share/man
DOCDIR     ?= $(PREFIX)/share/doc
BASHDIR    ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR     ?= $(PREFIX)/share/zsh/site-functions

# What examples/embed.c includes, and what that includes: enough to read a model and predict.
PUBLIC = $(addprefix common/,base/arithmetic.h base/error.h base/memory.h base/number.h base/vectors.h \
           data/data_form.h data/example.h data/labels.h data/problem.h kernel/feature_map.h \
           kernel/feature_metric.h kernel/kernel.h linear/weights.h model/mapped_scores.h model/model.h)

# The documents, what they link to, and the data of their examples.
PAGES = README.md CHANGELOG.md CONTRIBUTING.md LICENSE bench/README.md \
        $(wildcard doc/* data/* experiments/*.* experiments/*/*)

# Folders in libdoubt.pc, below ${prefix} where they are.
PC_FOLDER = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))

# Programs of another processor are run by RUN, for their completions: make install RUN=qemu-aarch64.
install: all ## programs, manual pages, documents, completions, library: DESTDIR, PREFIX=/usr/local
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))umask 022 && \
	put() { mode=$$1 folder="$(DESTDIR)$$2" && shift 2 && mkdir -p "$$folder" \
	  && install -m $$mode "$$@" "$$folder"; } && \
	put 755 "$(BINDIR)" $(addprefix $(BIN),$(ALL)) && \
	put 644 "$(MANDIR)/man1" $(patsubst %,man/%.1,$(ALL)) && \
	put 644 "$(MANDIR)/man5" man/libdoubt.5 && \
	put 644 "$(MANDIR)/man7" man/libdoubt.7 && \
	for f in $(PAGES); do put 644 "$(DOCDIR)/libdoubt/$$(dirname $$f)" $$f || exit 1; done && \
	put 644 "$(DOCDIR)/libdoubt/examples" examples/*.awk examples/*.c && \
	put 755 "$(DOCDIR)/libdoubt/examples" examples/*.sh && \
	put 644 "$(DOCDIR)/libdoubt/examples/cluster" examples/cluster/* && \
	mkdir -p "$(DESTDIR)$(BASHDIR)" "$(DESTDIR)$(ZSHDIR)" && for p in $(ALL); do \
	  $(RUN) $(BIN)./$$p --completion bash > "$(DESTDIR)$(BASHDIR)/$$p" \
	  && $(RUN) $(BIN)./$$p --completion zsh > "$(DESTDIR)$(ZSHDIR)/_$$p" || exit 1; done && \
	put 644 "$(LIBDIR)" $(BUILD)/libdoubt.a && \
	for h in $(PUBLIC); do put 644 "$(INCLUDEDIR)/libdoubt/$${h%/*}" $$h || exit 1; done && \
	mkdir -p "$(DESTDIR)$(LIBDIR)/pkgconfig" && sed -e 's|@PREFIX@|$(PREFIX)|' \
	  -e 's|@LIBDIR@|$(call PC_FOLDER,$(LIBDIR))|' -e 's|@INCLUDEDIR@|$(call PC_FOLDER,$(INCLUDEDIR))|' \
	  -e 's|@VERSION@|$(VERSION)|' libdoubt.pc.in > "$(DESTDIR)$(LIBDIR)/pkgconfig/libdoubt.pc"

uninstall: ## remove what install put there
	$(call say,RM,$(DESTDIR)$(PREFIX))for p in $(ALL); do \
	  rm -f "$(DESTDIR)$(BINDIR)/$$p" "$(DESTDIR)$(MANDIR)/man1/$$p.1" "$(DESTDIR)$(BASHDIR)/$$p" \
	    "$(DESTDIR)$(ZSHDIR)/_$$p"; done; \
	for n in 5 7; do rm -f "$(DESTDIR)$(MANDIR)/man$$n/libdoubt.$$n"; done; \
	rm -f "$(DESTDIR)$(LIBDIR)/libdoubt.a" "$(DESTDIR)$(LIBDIR)/pkgconfig/libdoubt.pc"; \
	rm -rf "$(DESTDIR)$(INCLUDEDIR)/libdoubt" "$(DESTDIR)$(DOCDIR)/libdoubt"

# One file a program, which needs no library and takes the widest vectors that the processor has.
STATIC_CC ?= musl-gcc
static: ## static programs, in BUILD/static/bin: they run on any Linux (musl-gcc)
	$(MAKE) all CC="$(STATIC_CC)" LDFLAGS="$(LDFLAGS) -static -s" BUILD="$(BUILD)/static" \
	  BIN="$(BUILD)/static/bin"

# What is committed, with the time of the last commit; in an unpacked tarball, where there is no repository,
# all that is no product.  Made twice, it has the same bytes: git archive and sort fix the order of the files,
# gzip -n writes no time.
PACKAGE = libdoubt-$(VERSION)
dist: ## a tarball of the sources, in BUILD
	@mkdir -p $(BUILD)
	@rm -f $(BUILD)/$(PACKAGE)
	$(call say,TAR,$(PACKAGE).tar.gz)if [ -e .git ]; then \
	  git -c tar.umask=0022 archive --prefix=$(PACKAGE)/ HEAD > $(BUILD)/$(PACKAGE).tar; \
	else \
	  find . -path "./$(patsubst ./%,%,$(patsubst %/,%,$(BUILD)))" -prune \
	      -o -type f $(foreach p,$(ALL),! -path "./$(BIN)$p") -print \
	    | sed 's|^\.|$(PACKAGE)|' | LC_ALL=C sort > $(BUILD)/files && \
	  ln -s "$$PWD" $(BUILD)/$(PACKAGE) && (cd $(BUILD) && tar cf $(PACKAGE).tar -T files) && \
	  rm $(BUILD)/$(PACKAGE); \
	fi && gzip -nf $(BUILD)/$(PACKAGE).tar
