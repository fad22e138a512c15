// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the sanitizers' flags do not affect the main one. It compiles the same sources, through
// links to their folders, because only instrumented code shows the fuzzer where an input led. `-enable-testing` lets
// targets use parsers that are internal to their module.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
    .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"]),
]

func system(_ name: String, _ pkgConfig: String) -> Target {
    .systemLibrary(name: name, path: "Modules/\(name)", pkgConfig: pkgConfig)
}

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Modules/\(name)", swiftSettings: settings)
}

let systemLibraries: [Target] = [
    system("COpenSSL", "openssl"), system("CLibxml2", "libxml-2.0"), system("CZlib", "zlib"),
    system("CLibffi", "libffi"),
    .systemLibrary(name: "CFuzzerDriver", path: "CFuzzerDriver"),
]

let modules: [Target] = [
    .target(name: "CSystemShims", path: "Modules/CSystemShims"),
    .target(name: "CCurl", path: "Modules/CCurl"),
    .target(name: "OverlayABI", path: "Modules/OverlayABI", exclude: ["overlay_layout_v1.def"]),
    module("BookModel", []),
    module("Diagnostics", []),
    module("OverlayCalls", ["OverlayABI", "CLibffi", "Platform", "Diagnostics"]),
    module("WorkerRPC", ["OverlayCalls", "OverlayABI", "CSystemShims", "Platform", "Diagnostics"]),
    module("Platform", ["COpenSSL", "CSystemShims"]),
    module("CBOR", []),
    module("JSON", ["Platform", "Diagnostics"]),
    module("Tracing", ["OverlayABI", "CSystemShims", "OverlayCalls", "JSON", "Platform", "Diagnostics"]),
    module("PropertyLists", ["Platform", "Diagnostics"]),
    module("BibTeX", ["PropertyLists", "Platform"]),
    module("BibTeXMerging", ["BibTeX"]),
    module("Archives", ["CZlib", "Platform", "Diagnostics"]),
    module("Formats", ["Archives", "CSystemShims", "JSON", "Platform"]),
    module(
        "Fetching",
        ["Archives", "BookModel", "CCurl", "CSystemShims", "Formats", "JSON", "Platform", "Diagnostics"]),
    module("Markup", ["CLibxml2", "Platform", "Diagnostics"]),
    module(
        "Publications",
        ["Formats", "Archives", "Markup", "JSON", "Platform", "Diagnostics", "CZlib", "COpenSSL"]),
]

/// Builders of documents, borrowed from benchmarks and tests.
let builders: [Target] = [
    .target(name: "FormatSamples", dependencies: ["Formats"], path: "FormatSamples", swiftSettings: settings),
    .target(name: "ArchiveBuilder", dependencies: ["CZlib"], path: "ArchiveBuilder", swiftSettings: settings),
    .target(name: "BookBuilders", dependencies: ["CZlib"], path: "BookBuilders", swiftSettings: settings),
    .target(name: "TestSupport", path: "TestSupport", swiftSettings: settings),
    .target(
        name: "WorkerRPCSamples", dependencies: ["WorkerRPC", "OverlayCalls", "OverlayABI", "TestSupport"],
        path: "WorkerRPCSamples",
        swiftSettings: settings),
]

let package = Package(
    name: "Fuzzing",
    targets: systemLibraries + modules + builders + [
        .executableTarget(
            name: "Fuzzer",
            dependencies: [
                "CFuzzerDriver", "CBOR", "JSON", "Archives", "Formats", "Fetching", "Markup", "Publications",
                "PropertyLists", "BibTeX", "BibTeXMerging", "FormatSamples", "ArchiveBuilder", "BookBuilders",
                "WorkerRPC",
                "OverlayCalls",
                "WorkerRPCSamples", "OverlayABI", "CSystemShims", "Platform", "TestSupport", "Tracing",
            ],
            path: "Fuzzer", swiftSettings: settings,
            // The system's gold linker fails on this program.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
    ],
    swiftLanguageModes: [.v6]
)
