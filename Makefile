# The main commands are make demo and make test.
PREFIX ?= /usr/local
DESTDIR ?=
BUILD_JOBS ?= $(shell nproc)

# CI sets OVERLAYHOST_STRICT=1, so that a warning fails the build. Other systems may have newer libraries with deprecations.
SWIFT_BUILD := swift build --jobs $(BUILD_JOBS)
# The hot paths cross modules. Without the second option, most generic functions of other modules are not specialized.
RELEASE := -c release -Xswiftc -cross-module-optimization
RELEASE_DIR = $(shell swift build -c release --show-bin-path)
SOURCES := Sources Plugins Tests Benchmarks Fuzzing Examples Support/OverlayKit/Package.swift Package.swift

.PHONY: demo test test-bibliographies test-long test-calibre test-calibre-newest bench-calibre build release calibre-plugin bench formats-table fuzz docs format lint install uninstall deb test-deb dependencies clean

demo: release
	@Support/demo "$(RELEASE_DIR)"

test: dependencies
	$(SWIFT_BUILD)
	@Support/test --jobs $(BUILD_JOBS)

# Compares real bibliographies with btparse and pybtex. Downloads a Debian package of 75 MB once.
test-bibliographies:
	@BUILD_JOBS=$(BUILD_JOBS) Support/test-bibliographies

# Tests that take too long for every run: commands that are interrupted at each request, a sync of bibliographies also at
# each file operation, and merges of 100,000 random libraries.
test-long: dependencies
	$(SWIFT_BUILD) --build-tests
	OVERLAYHOST_EVERY_REQUEST=1 swift test --skip-build --filter "CutOffSyncTests|CutOffCommandTests"
	OVERLAYHOST_TESTS=BibTeXMergingTests $(SWIFT_BUILD) $(RELEASE) --build-tests
	OVERLAYHOST_TESTS=BibTeXMergingTests OVERLAYHOST_MERGES=100000 swift test $(RELEASE) --skip-build --filter MergePropertyTests

# Tests the calibre plugin with Debian's calibre and simulated devices. PARTS="devices session" runs only these parts.
test-calibre: dependencies
	@Support/install-dependencies calibre
	$(SWIFT_BUILD)
	@Clients/calibre/tests/run "$$(swift build --show-bin-path)" $(PARTS)

# Tests the calibre plugin with the calibre of Debian testing, or of SUITE, in a minimal system that is downloaded. Needs root.
test-calibre-newest: build
	@SUITE=$(SUITE) Support/test-calibre-newest "$$(swift build --show-bin-path)" $(PARTS)

# Compares the plugin with calibre's folder device, on a local folder and over ifuse. Use BOOKS=100 SENT=10 for a short run.
bench-calibre: release
	@Support/install-dependencies calibre
	@BOOKS=$(BOOKS) SENT=$(SENT) Clients/calibre/tests/run "$$(swift build -c release --show-bin-path)" benchmark

# Builds the plugin for installation in calibre.
calibre-plugin:
	@Clients/calibre/build-plugin build/OverlayHost-calibre.zip
	@echo build/OverlayHost-calibre.zip

build: dependencies
	$(SWIFT_BUILD)

release: dependencies
	$(SWIFT_BUILD) $(RELEASE)

bench: release
	"$(RELEASE_DIR)/overlayhost-bench" $(BENCH)

formats-table:
	@swift run --quiet --jobs $(BUILD_JOBS) FormatAccuracy

fuzz:
	@BUILD_JOBS=$(BUILD_JOBS) Support/fuzz $(or $(SECONDS),60) $(TARGET)

# Builds the reference of the public libraries in .build/docs.
docs: build
	Support/docs "$$(swift build --show-bin-path)"

format:
	swift format --in-place --parallel --recursive $(SOURCES)

lint:
	swift format lint --strict --parallel --recursive $(SOURCES)

install: release
	Support/install "$(RELEASE_DIR)" "$(DESTDIR)" "$(PREFIX)"

uninstall:
	Support/install --remove "$(DESTDIR)" "$(PREFIX)"

# Builds the Debian packages in .build/deb.
deb: release
	@Support/make-deb "$(RELEASE_DIR)" .build/deb

# Installs the packages in a minimal system that is downloaded, and uses them there. Needs root.
test-deb: deb
	@Support/test-deb .build/deb

dependencies:
	@Support/install-dependencies

clean:
	rm -rf .build build
