# The commands a person needs: make demo, make test. Everything else serves them.
PREFIX ?= /usr/local
DESTDIR ?=
BUILD_JOBS ?= $(shell nproc)

# A warning fails the build, here and in CI alike, so that both use the same build folder.
export OVERLAYHOST_STRICT := 1
SWIFT_BUILD := swift build --jobs $(BUILD_JOBS)
RELEASE_DIR = $(shell swift build -c release --show-bin-path)
SOURCES := Sources Plugins Tests Benchmarks Fuzzing Examples Support/OverlayKit/Package.swift Package.swift

.PHONY: demo test build release bench formats-table fuzz docs format lint install uninstall dependencies clean

demo: release
	@Support/demo "$(RELEASE_DIR)"

test: dependencies
	$(SWIFT_BUILD)
	@Support/test --jobs $(BUILD_JOBS)

build: dependencies
	$(SWIFT_BUILD)

release: dependencies
	$(SWIFT_BUILD) -c release

bench: release
	"$(RELEASE_DIR)/overlayhost-bench" $(BENCH)

formats-table:
	@swift run --quiet --jobs $(BUILD_JOBS) FormatAccuracy

fuzz:
	@BUILD_JOBS=$(BUILD_JOBS) Support/fuzz $(or $(SECONDS),60) $(TARGET)

# The reference of the public libraries, in .build/docs.
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

dependencies:
	@Support/install-dependencies

clean:
	rm -rf .build
