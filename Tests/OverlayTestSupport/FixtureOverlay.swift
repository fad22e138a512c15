import Foundation
import OverlayLoading
import Preferences
import TestSupport

/// Tiny overlays in C that the tests compile with the system's compiler. Each macro adds one fault.
package enum FixtureOverlay {
    package static let source = #"""
        #include <stddef.h>

        #include "overlay_abi.h"

        #define TEXT(s) {s, sizeof(s) - 1}

        #ifndef ID
        #define ID "fixture"
        #endif
        #ifndef NAME
        #define NAME "Fixture"
        #endif
        #ifndef VERSION
        #define VERSION "1.0.0"
        #endif
        #ifndef APP_NAME
        #define APP_NAME "Fixture Reader"
        #endif
        #ifndef APP_ID
        #define APP_ID "org.example.fixture"
        #endif
        #ifndef FORMAT
        #define FORMAT "epub"
        #endif
        #ifndef TRAITS
        #define TRAITS OVL_TRAIT_CAN_FETCH
        #endif
        #ifndef APP_COUNT
        #define APP_COUNT 1
        #endif
        #ifndef ENTRY_NAME
        #define ENTRY_NAME ovl_entry_v1
        #endif
        #ifndef ENTRY_SIZE
        #define ENTRY_SIZE sizeof(ovl_entry)
        #endif
        #ifndef DESCRIPTOR_SIZE
        #define DESCRIPTOR_SIZE sizeof(ovl_descriptor)
        #endif
        #ifndef METHODS_SIZE
        #define METHODS_SIZE sizeof(ovl_methods)
        #endif
        #ifndef MAJOR
        #define MAJOR OVL_ABI_MAJOR
        #endif
        #ifndef DESCRIPTOR
        #define DESCRIPTOR &descriptor
        #endif
        #ifndef METHODS
        #define METHODS &methods
        #endif
        #ifndef CREATE
        #define CREATE create
        #endif
        #ifndef DESTROY
        #define DESTROY destroy
        #endif
        #ifndef OPTION_KEY
        #define OPTION_KEY "fixture_speed"
        #endif
        #ifndef OPTION_TYPE
        #define OPTION_TYPE OVL_OPTION_INTEGER
        #endif
        #ifndef OPTION_DEFAULT
        #define OPTION_DEFAULT "3"
        #endif
        #ifndef OPTION_SIZE
        #define OPTION_SIZE sizeof(ovl_option)
        #endif
        #ifndef OPTION_STRIDE
        #define OPTION_STRIDE sizeof(ovl_option)
        #endif
        #ifndef OPTION_COUNT
        #define OPTION_COUNT 1
        #endif
        #ifndef OPTION_MAXIMUM
        #define OPTION_MAXIMUM 9
        #endif
        #ifndef OPTION_FLAGS
        #define OPTION_FLAGS OVL_OPTION_HAS_RANGE
        #endif
        #ifndef SECOND_OPTION_KEY
        #define SECOND_OPTION_KEY OPTION_KEY
        #endif
        #ifndef SECOND_OPTION_FLAGS
        #define SECOND_OPTION_FLAGS 0
        #endif

        #ifdef MISSING_SYMBOL
        extern int ovl_fixture_nobody_has_this(void);
        int (*fixture_needs)(void) = ovl_fixture_nobody_has_this;
        #endif
        #ifdef MISSING_LIBRARY
        extern int ovl_fixture_needed(void);
        int (*fixture_needs)(void) = ovl_fixture_needed;
        #endif

        static const ovl_text app_ids[] = {TEXT(APP_ID)};
        static const ovl_text formats[] = {TEXT(FORMAT)};
        static const ovl_option options[] = {
            {OPTION_SIZE, OPTION_FLAGS, TEXT(OPTION_KEY), OPTION_TYPE, 0, TEXT(OPTION_DEFAULT), 1,
             OPTION_MAXIMUM, {NULL, 0}, TEXT("Speed"), TEXT("How fast.")},
            {OPTION_SIZE, SECOND_OPTION_FLAGS, TEXT(SECOND_OPTION_KEY), OPTION_TYPE, 0, {NULL, 0}, 0, 0, {NULL, 0}, TEXT("Again"), {NULL, 0}},
        };
        static const ovl_descriptor descriptor = {
            .struct_size = DESCRIPTOR_SIZE,
            .flags = TRAITS,
            .id = TEXT(ID),
            .name = TEXT(NAME),
            .version = TEXT(VERSION),
            .summary = TEXT("A fixture of the tests."),
            .app_name = TEXT(APP_NAME),
            .app_ids = {app_ids, APP_COUNT},
            .formats = {formats, 1},
            .thumbnail_height = 160,
            .options = {options, OPTION_COUNT, OPTION_STRIDE},
        };

        static ovl_status eject(ovl_instance *instance, const ovl_error_sink *error) {
            (void)instance;
            (void)error;
            return OVL_OK;
        }
        static const ovl_methods methods = {.struct_size = METHODS_SIZE, .eject = eject};

        static ovl_status create(const ovl_host *host, ovl_instance **instance, const ovl_error_sink *error) {
            (void)host;
            (void)error;
            *instance = (ovl_instance *)&methods;
            return OVL_OK;
        }
        static void destroy(ovl_instance *instance) { (void)instance; }

        static const ovl_entry entry = {
            .struct_size = ENTRY_SIZE,
            .abi_major = MAJOR,
            .abi_minor = 0,
            .descriptor = DESCRIPTOR,
            .methods = METHODS,
            .create = CREATE,
            .destroy = DESTROY,
        };

        OVL_EXPORT const ovl_entry *ENTRY_NAME(void);
        OVL_EXPORT const ovl_entry *ENTRY_NAME(void) {
        #ifdef NO_RECORD
            return NULL;
        #else
            return &entry;
        #endif
        }
        """#

    /// Compiles the overlay with macros such as `ID="x"` into `file`.
    package static func build(_ file: String, _ macros: [String] = [], flags: [String] = ["-shared"]) throws {
        try OverlayCompiler.compile(source, to: file, macros, flags: flags)
    }

    /// A folder that only this user can write, regardless of the umask.
    package static func privateFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        return folder
    }
}

/// A plugins folder and all other inputs of a search, for one test.
package struct PluginWorld {
    package let folder: TemporaryFolder
    package let plugins: String
    package let paths: HostPaths

    package init(executable: String? = nil, environment: [String: String] = [:]) throws {
        folder = try FixtureOverlay.privateFolder()
        plugins = folder.path("plugins")
        for name in ["plugins", "run"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        var variables = [
            "HOME": folder.path("home"), "XDG_RUNTIME_DIR": folder.path("run"), "TMPDIR": folder.path,
        ]
        variables.merge(environment) { _, new in new }
        paths = HostPaths(environment: variables, executable: executable)
    }

    package func file(_ name: String) -> String { plugins + "/" + name }

    package func discover() -> OverlayCatalog {
        OverlayDiscovery(options: [plugins], paths: paths, runner: InProcessRunner()).discover()
    }

    /// The result of the search for the only file.
    package func only() throws -> DiscoveredOverlay {
        let catalog = discover()
        guard catalog.problems.isEmpty, catalog.found.count == 1, let only = catalog.found.first else {
            throw FixtureFailure(
                message: "The search found \(catalog.found.count) files: \(catalog.problems)")
        }
        return only
    }
}
