// swift-tools-version: 6.2
import PackageDescription

// Every target is compiled in Swift 6 mode. CI sets OVERLAYHOST_STRICT=1, with which a warning fails the build, and each
// file must import the modules whose members it uses. Not elsewhere: which module has a type of the C library depends on
// the system, and on the order in which headers are read.
let strict = Context.environment["OVERLAYHOST_STRICT"] == "1"
let swiftSettings: [SwiftSetting] =
    [.enableUpcomingFeature("ExistentialAny")]
    + (strict
        ? [.treatAllWarnings(as: .error), .enableUpcomingFeature("MemberImportVisibility")] : [])
let cSettings: [CSetting] = strict ? [.treatAllWarnings(as: .error)] : []

// An overlay exports its one entry function and nothing else, leaves no symbol unresolved, and stays mapped.
let overlayLinkerSettings: [LinkerSetting] = [
    .unsafeFlags([
        "-Xlinker", "--version-script=\(Context.packageDirectory)/Support/overlay.map",
        "-Xlinker", "-z", "-Xlinker", "nodelete",
        "-Xlinker", "-z", "-Xlinker", "defs",
        "-Xlinker", "-rpath=$ORIGIN/../runtime",
    ])
]

func system(_ name: String, _ pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func library(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path ?? "Sources/\(name)", swiftSettings: swiftSettings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)",
        exclude: fixtureFolders[name] ?? [],
        swiftSettings: swiftSettings)
}

/// Folders of files that tests open by their path in the source tree, which are neither compiled nor bundled.
let fixtureFolders: [String: [String]] = [
    "MarvinCommandsTests": ["Fixtures"],
    "ExampleTests": ["Fixtures"],
    "OverlayABITests": ["Fixtures"],
    "PublicationsTests": ["Fixtures"],
]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let systemLibraries: [Target] = [
    system("CLibffi", "libffi", apt: "libffi-dev"),
    system("CLibimobiledevice", "libimobiledevice-1.0", apt: "libimobiledevice-dev"),
    system("COpenSSL", "openssl", apt: "libssl-dev"),
    system("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
    system("CLibxml2", "libxml-2.0", apt: "libxml2-dev"),
    system("CLibzip", "libzip", apt: "libzip-dev"),
    system("CZlib", "zlib", apt: "zlib1g-dev"),
]

let libraries: [Target] = [
    .target(name: "OverlayABI", exclude: ["overlay_layout_v1.def"], cSettings: cSettings),
    .target(name: "CSystemShims", cSettings: cSettings),
    library("OverlayCalls", ["OverlayABI", "CLibffi", "Platform", "Diagnostics"]),
    library("WorkerRPC", ["OverlayCalls", "OverlayABI", "CSystemShims", "Platform", "Diagnostics"]),
    library("Platform", ["COpenSSL", "CSystemShims"]),
    library("Diagnostics", []),
    library("JSON", ["Platform", "Diagnostics"]),
    library("HostErrors", ["Diagnostics", "Platform"]),
    library("Preferences", ["HostErrors", "JSON", "Platform"]),
    library(
        "OverlayLoading",
        [
            "OverlayABI", "OverlayBridge", "OverlayCalls", "Preferences", "HostErrors", "JSON", "Platform",
            "Diagnostics",
        ]),
    library("Tracing", ["OverlayABI", "CSystemShims", "OverlayCalls", "JSON", "Platform", "Diagnostics"]),
    library("PropertyLists", ["Platform", "Diagnostics"]),
    library("DeviceWire", ["PropertyLists", "Diagnostics"]),
    library("BibTeX", ["PropertyLists", "Platform"]),
    library("BibTeXMerging", ["BibTeX"]),
    library("BibliographySync", ["BibTeX", "BibTeXMerging", "JSON", "Platform", "Diagnostics"]),
    library("Archives", ["CZlib", "Platform", "Diagnostics"]),
    .target(name: "CCurl", cSettings: cSettings),
    library(
        "Fetching",
        ["Archives", "BookModel", "CCurl", "CSystemShims", "Formats", "JSON", "Platform"]),
    library("Formats", ["Archives", "JSON", "Platform"]),
    library("FormatsNetworking", ["Formats"]),
    library("SQLite", ["CSQLite"]),
    library("BookSearch", ["SQLite", "CSQLite", "Diagnostics", "Platform"]),
    library("Markup", ["CLibxml2", "Platform", "Diagnostics"]),
    library(
        "Publications",
        ["Formats", "Archives", "Markup", "JSON", "Platform", "Diagnostics", "CZlib", "COpenSSL"]),
    library("MarvinCommands", ["CLibxml2", "Platform", "Diagnostics"]),
    library(
        "DeviceTransport",
        [
            "DeviceWire", "PropertyLists", "Platform", "Diagnostics", "CLibimobiledevice",
            "COpenSSL",
        ]),
    library(
        "SimulatedDevice",
        [
            "DeviceWire", "PropertyLists", "MarvinCommands", "BibTeX", "Platform", "Diagnostics",
            "CSystemShims", "COpenSSL",
            "CSQLite", "CLibzip",
        ]),
    library("CBOR", []),
    library("BookModel", []),
    library(
        "Libraries",
        [
            "BookModel", "OverlayBridge", "HostErrors", "JSON", "Platform", "Diagnostics", "SQLite",
            "CSQLite",
        ]),
    library("OverlayBridge", ["OverlayABI", "BookModel", "CBOR"]),
    library("OverlayKit", ["OverlayABI", "BookModel", "OverlayBridge"]),
    library("OverlayKitTesting", ["OverlayKit", "OverlayABI", "OverlayBridge", "Platform"]),
    library("DeviceDatabases", ["OverlayKit", "SQLite", "CSQLite", "Platform", "Diagnostics"]),
    library("Claims", ["OverlayKit"]),
    library("UploadPlanning", ["OverlayKit"]),
    library(
        "BookFolders",
        [
            "BookModel", "OverlayKit", "OverlayBridge", "UploadPlanning", "Claims", "Archives",
            "DeviceDatabases", "JSON",
            "Platform", "Diagnostics",
        ]),
    library(
        "HostContract",
        [
            "OverlayABI", "OverlayBridge", "BookModel", "OverlayCalls", "OverlayLoading", "HostErrors",
            "Platform", "Diagnostics",
        ]),
    library(
        "OverlayWorkers",
        [
            "HostContract", "WorkerRPC", "OverlayCalls", "OverlayLoading", "Preferences", "HostErrors",
            "DeviceTransport",
            "OverlayABI", "OverlayBridge", "Platform", "Diagnostics", "CSystemShims",
        ]),
    library(
        "HostContent",
        [
            "HostContract", "HostErrors", "Publications", "Fetching", "Formats", "Archives",
            "DeviceTransport", "OverlayABI", "BookModel", "JSON", "Platform", "Diagnostics",
        ]),
    library(
        "OverlayServices",
        [
            "HostContent", "HostContract", "OverlayWorkers", "OverlayLoading", "OverlayCalls", "Preferences",
            "HostErrors", "Libraries", "Tracing", "Publications", "Fetching", "Formats", "Archives",
            "DeviceTransport", "OverlayABI",
            "OverlayBridge", "BookModel", "JSON", "Platform", "Diagnostics", logging,
        ]),
    library(
        "OverlayHost",
        [
            "OverlayServices", "HostContent", "OverlayWorkers", "HostContract", "OverlayLoading",
            "Preferences",
            "BookSearch", "Libraries", "HostErrors", "Tracing", "OverlayABI", "BookModel", "OverlayBridge",
            "Platform",
            "Diagnostics", "DeviceTransport", "JSON", "Archives", "Formats", "Fetching",
            "Publications", logging,
        ]),
    library(
        "Conformance",
        [
            "OverlayHost", "OverlayABI", "OverlayBridge", "SimulatedDevice", "DeviceTransport", "JSON",
            "Platform", "OverlayCalls", "OverlayLoading", "HostContract",
            logging,
        ]),
]

let overlays: [Target] = [
    library(
        "iBooks",
        [
            "OverlayKit", "UploadPlanning", "BookFolders", "Claims", "DeviceDatabases", "PropertyLists",
            "Archives", "Markup", "Platform", "Diagnostics",
        ],
        path: "Plugins/iBooks/Core"),
    .target(
        name: "iBooksEntry", dependencies: ["iBooks", "OverlayKit", "OverlayABI"],
        path: "Plugins/iBooks/Entry",
        swiftSettings: swiftSettings, linkerSettings: overlayLinkerSettings),
    library(
        "BibDesk",
        [
            "OverlayKit", "BookFolders", "Claims", "BibTeX", "BibTeXMerging", "BibliographySync",
            "PropertyLists", "JSON", "Platform", "Diagnostics",
        ],
        path: "Plugins/BibDesk/Core"),
    .target(
        name: "BibDeskEntry", dependencies: ["BibDesk", "OverlayKit", "OverlayABI"],
        path: "Plugins/BibDesk/Entry",
        swiftSettings: swiftSettings, linkerSettings: overlayLinkerSettings),
    library(
        "GoodReader", ["OverlayKit", "BookFolders", "DeviceDatabases", "Diagnostics"],
        path: "Plugins/GoodReader/Core"),
    .target(
        name: "GoodReaderEntry", dependencies: ["GoodReader", "OverlayKit", "OverlayABI"],
        path: "Plugins/GoodReader/Entry",
        swiftSettings: swiftSettings, linkerSettings: overlayLinkerSettings),
    library(
        "Marvin",
        [
            "OverlayKit", "UploadPlanning", "BookFolders", "Claims", "MarvinCommands", "DeviceDatabases",
            "CBOR", "Platform", "Diagnostics",
        ],
        path: "Plugins/Marvin/Core"),
    .target(
        name: "MarvinEntry", dependencies: ["Marvin", "OverlayKit", "OverlayABI"],
        path: "Plugins/Marvin/Entry",
        swiftSettings: swiftSettings, linkerSettings: overlayLinkerSettings),
]

/// Overlays whose books are plain files in a folder, and that need nothing else.
let folderOverlays: [Target] = ["Documents", "Kindle"].flatMap { name in
    [
        library(name, ["OverlayKit", "BookFolders"], path: "Plugins/\(name)/Core"),
        .target(
            name: "\(name)Entry", dependencies: [.target(name: name), "OverlayKit", "OverlayABI"],
            path: "Plugins/\(name)/Entry",
            swiftSettings: swiftSettings, linkerSettings: overlayLinkerSettings),
    ]
}

/// An overlay in Swift, and programs that use the host; not installed.
let examples: [Target] = [
    .executableTarget(
        name: "ExampleHost", dependencies: ["OverlayHost", logging], path: "Examples/host-swift",
        exclude: ["README.md"], swiftSettings: swiftSettings),
    .executableTarget(
        name: "ExampleServeClient", path: "Examples/serve-swift", swiftSettings: swiftSettings),
    .target(
        name: "LanternExample", dependencies: ["OverlayKit", "OverlayABI"], path: "Examples/Lantern/Sources",
        swiftSettings: swiftSettings, linkerSettings: overlayLinkerSettings),
]

let benchmarkLibrary: Target = .target(
    name: "BenchmarkLibrary", dependencies: ["OverlayKit", "OverlayABI"], path: "Benchmarks/BenchmarkLibrary",
    swiftSettings: swiftSettings, linkerSettings: overlayLinkerSettings)

/// Small documents of each known format, and the table of how well they are recognised.
let formatSamples: Target = library(
    "FormatSamples", ["Archives", "Formats"], path: "Benchmarks/FormatSamples")

/// The command line as a library, its program, and the same for programs in C.
let commandLine: [Target] = [
    library(
        "OverlayHostCLI",
        [
            "OverlayHost", "Conformance", "DeviceTransport", "SimulatedDevice", "Platform", "CSystemShims",
            "BookModel", "JSON", "Archives", "Formats", "Fetching",
            "Publications", "Tracing", argumentParser,
            logging,
        ]),
    .executableTarget(
        name: "OverlayHostProgram", dependencies: ["OverlayHostCLI"], swiftSettings: swiftSettings),
    .target(name: "COverlayHost", cSettings: cSettings),
    .target(
        name: "OverlayHostLibrary",
        dependencies: ["COverlayHost", "OverlayHostCLI", "OverlayHost", "Platform"],
        swiftSettings: swiftSettings,
        linkerSettings: [
            .unsafeFlags([
                "-Xlinker", "--version-script=\(Context.packageDirectory)/Support/library.map",
                "-Xlinker", "-z", "-Xlinker", "nodelete", "-Xlinker", "-z", "-Xlinker", "defs",
            ])
        ]),
]

let executables: [Target] = [
    .executableTarget(
        name: "FormatAccuracy", dependencies: ["FormatSamples"], path: "Benchmarks/FormatAccuracy",
        swiftSettings: swiftSettings),
    .executableTarget(
        name: "OverlayHostBenchmarks",
        dependencies: [
            "OverlayHost", "SimulatedDevice", "DeviceTransport", "DeviceWire", "MarvinCommands",
            "CLibimobiledevice", "COpenSSL", "PropertyLists", "Archives", "WorkerRPC", "OverlayCalls",
            "CSystemShims", "OverlayABI", "OverlayBridge", "Formats", "Publications", "FormatSamples",
            "BookSearch", "BibTeX", "Platform",
        ],
        path: "Benchmarks/OverlayHostBenchmarks", swiftSettings: swiftSettings),
]

let testTargets: [Target] = [
    .target(
        name: "TestSupport", dependencies: ["SimulatedDevice", "CZlib"], path: "Tests/TestSupport",
        swiftSettings: swiftSettings),
    library(
        "OverlayTestSupport", ["TestSupport", "OverlayLoading", "Preferences"],
        path: "Tests/OverlayTestSupport"),
    .testTarget(name: "ArchitectureTests", swiftSettings: swiftSettings),
    tests("PlatformTests", ["Platform"]),
    tests("DiagnosticsTests", ["Diagnostics"]),
    tests("JSONTests", ["JSON"]),
    tests("PreferencesTests", ["Preferences", "HostErrors", "JSON"]),
    tests("LibrariesTests", ["Libraries", "BookModel", "HostErrors", "JSON", "Platform", "CSQLite"]),
    tests("PropertyListsTests", ["PropertyLists"]),
    tests("DeviceWireTests", ["DeviceWire", "PropertyLists"]),
    tests("BibTeXTests", ["BibTeX"]),
    tests("BibTeXMergingTests", ["BibTeXMerging", "BibTeX"]),
    tests("BibliographySyncTests", ["BibliographySync", "BibTeX", "Platform"]),
    tests("BibliographyTests", ["BibTeX"]),
    tests("BookSearchTests", ["BookSearch", "CSQLite"]),
    tests("ArchivesTests", ["Archives"]),
    tests("FetchingTests", ["Fetching", "Archives", "Formats", "JSON"]),
    tests("MarkupTests", ["Markup"]),
    tests(
        "PublicationsTests",
        ["Publications", "Archives", "Formats", "JSON", "Markup", "Platform", "CZlib"]),
    library("HTTPTestSupport", [], path: "Tests/HTTPTestSupport"),
    .executableTarget(
        name: "ScriptedHTTPServer", dependencies: ["HTTPTestSupport"], path: "Tests/ScriptedHTTPServer",
        swiftSettings: swiftSettings),
    tests(
        "FetchingHTTPTests",
        ["Fetching", "Formats", "FormatsNetworking", "JSON", "HTTPTestSupport", "ScriptedHTTPServer"]),
    tests("FetchingCachingTests", ["Fetching", "JSON", "HTTPTestSupport", "ScriptedHTTPServer"]),
    tests("FormatsTests", ["Archives", "FormatSamples", "Formats", "FormatsNetworking", "JSON", "Platform"]),
    tests("MarvinCommandsTests", ["MarvinCommands"]),
    tests("DeviceTransportTests", ["DeviceTransport", "DeviceWire", "PropertyLists", "SimulatedDevice"]),
    tests(
        "SimulatedDeviceTests",
        ["SimulatedDevice", "DeviceWire", "PropertyLists", "MarvinCommands", "BibTeX"]),
    tests("WorkerRPCTests", ["WorkerRPC", "OverlayCalls", "CSystemShims", "OverlayABI"]),
    tests("TracingTests", ["Tracing", "OverlayCalls", "JSON", "OverlayABI"]),
    tests("OverlayABITests", ["OverlayABI", "OverlayBridge", "SimulatedDevice"]),
    tests("CBORTests", ["CBOR"]),
    tests("BookModelTests", ["BookModel"]),
    tests("OverlayBridgeTests", ["OverlayBridge", "BookModel", "OverlayABI"]),
    tests("OverlayKitTests", ["OverlayKit", "OverlayKitTesting", "OverlayBridge", "OverlayABI"]),
    tests("SQLiteTests", ["SQLite", "CSQLite"]),
    tests("DeviceDatabasesTests", ["DeviceDatabases", "CSQLite"]),
    tests(
        "OverlayLoadingTests",
        [
            "OverlayLoading", "OverlayTestSupport", "OverlayABI", "OverlayBridge", "Preferences",
            "HostErrors", "JSON",
        ]),
    tests("HostContractTests", ["HostContract", "OverlayABI", "OverlayBridge"]),
    tests(
        "OverlayWorkersTests",
        ["OverlayWorkers", "OverlayLoading", "OverlayTestSupport", "HostErrors", "Platform", "Preferences"]),
    tests(
        "OverlayHostTests",
        [
            "OverlayHost", "OverlayServices", "OverlayWorkers", "HostContract", "OverlayLoading",
            "OverlayCalls",
            "OverlayTestSupport",
            "OverlayABI", "OverlayBridge", "Tracing", "OverlayKit", "DeviceTransport", "SimulatedDevice",
            "JSON", "Libraries", "Platform", "HostContent", "Publications",
            "Formats", "Fetching", "HTTPTestSupport", "ScriptedHTTPServer",
            logging,
        ]),
    tests(
        "ConformanceTests",
        ["Conformance", "OverlayHost", "OverlayABI", "SimulatedDevice", "DeviceTransport", "JSON"]),
    tests(
        "OverlayHostCLITests",
        [
            "OverlayHostCLI", "SimulatedDevice", "OverlayHost", "OverlayWorkers", "OverlayTestSupport",
            "JSON", "Platform", logging,
        ]),
    tests("UploadPlanningTests", ["UploadPlanning", "OverlayKit"]),
    tests("ClaimsTests", ["Claims", "OverlayKit", "OverlayKitTesting"]),
    tests(
        "MarvinTests",
        [
            "Marvin", "UploadPlanning", "BookFolders", "OverlayKit", "OverlayKitTesting", "OverlayABI",
            "Claims",
            "MarvinCommands", "CSQLite",
            "DeviceDatabases", "SimulatedDevice",
        ]),
    tests(
        "BibDeskTests",
        [
            "BibDesk", "BibTeX", "BookFolders", "OverlayKitTesting", "OverlayKit", "OverlayABI",
            "PropertyLists", "JSON",
        ]),
    tests(
        "BookFoldersTests",
        [
            "BookFolders", "UploadPlanning", "OverlayKitTesting", "Claims", "OverlayKit", "OverlayBridge",
            "OverlayABI",
        ]),
    tests(
        "DocumentsTests", ["Documents", "BookFolders", "OverlayKitTesting", "OverlayKit", "OverlayABI"]),
    tests(
        "GoodReaderTests",
        [
            "GoodReader", "BookFolders", "OverlayKitTesting", "DeviceDatabases", "OverlayKit",
            "OverlayABI", "SimulatedDevice",
        ]),
    tests(
        "KindleTests",
        ["Kindle", "BookFolders", "OverlayKitTesting", "OverlayKit", "OverlayABI", "CSQLite"]),
    tests(
        "IBooksTests",
        [
            "iBooks", "UploadPlanning", "BookFolders", "OverlayKitTesting", "Claims", "OverlayKit",
            "OverlayABI", "PropertyLists", "Archives",
        ]),
    tests("ExampleTests", ["SimulatedDevice"]),
    tests(
        "EndToEndTests",
        [
            "OverlayHost", "SimulatedDevice", "PropertyLists", "HTTPTestSupport", "ScriptedHTTPServer",
            "CSQLite", "JSON",
        ]),
]

/// `OVERLAYHOST_TESTS="ArchivesTests JSONTests"` builds these test targets alone, for short rounds while one module changes.
/// `BibliographyTests` need files that only Support/test-bibliographies fetches.
let chosenTests = (Context.environment["OVERLAYHOST_TESTS"] ?? "").split(separator: " ").map(String.init)
let builtTests = testTargets.filter {
    $0.type != .test
        || (chosenTests.isEmpty ? $0.name != "BibliographyTests" : chosenTests.contains($0.name))
}

let package = Package(
    name: "OverlayHost",
    products: [
        .executable(name: "overlayhost", targets: ["OverlayHostProgram"]),
        .executable(name: "overlayhost-bench", targets: ["OverlayHostBenchmarks"]),
        .library(name: "OverlayABI", targets: ["OverlayABI"]),
        .library(name: "Diagnostics", targets: ["Diagnostics"]),
        .library(name: "BookModel", targets: ["BookModel"]),
        .library(name: "BibTeX", targets: ["BibTeX"]),
        .library(name: "OverlayKit", targets: ["OverlayKit"]),
        .library(name: "BookFolders", targets: ["BookFolders"]),
        .library(name: "UploadPlanning", targets: ["UploadPlanning"]),
        .library(name: "Claims", targets: ["Claims"]),
        .library(name: "DeviceDatabases", targets: ["DeviceDatabases"]),
        .library(name: "OverlayKitTesting", targets: ["OverlayKitTesting"]),
        .library(name: "Formats", targets: ["Formats"]),
        .library(name: "FormatsNetworking", targets: ["FormatsNetworking"]),
        .library(name: "Fetching", targets: ["Fetching"]),
        .library(name: "OverlayHost", targets: ["OverlayHost"]),
        .library(name: "SimulatedDevice", targets: ["SimulatedDevice"]),
        .library(name: "overlayhost-c", type: .dynamic, targets: ["OverlayHostLibrary"]),
        .executable(name: "ExampleHost", targets: ["ExampleHost"]),
        .executable(name: "ExampleServeClient", targets: ["ExampleServeClient"]),
        .library(name: "LanternExample", type: .dynamic, targets: ["LanternExample"]),
        .library(name: "BenchmarkLibrary", type: .dynamic, targets: ["BenchmarkLibrary"]),
        .library(name: "MarvinOverlay", type: .dynamic, targets: ["MarvinEntry"]),
        .library(name: "DocumentsOverlay", type: .dynamic, targets: ["DocumentsEntry"]),
        .library(name: "GoodReaderOverlay", type: .dynamic, targets: ["GoodReaderEntry"]),
        .library(name: "KindleOverlay", type: .dynamic, targets: ["KindleEntry"]),
        .library(name: "BibDeskOverlay", type: .dynamic, targets: ["BibDeskEntry"]),
        .library(name: "IBooksOverlay", type: .dynamic, targets: ["iBooksEntry"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: systemLibraries + libraries + overlays + folderOverlays + examples + [
        benchmarkLibrary, formatSamples,
    ]
        + commandLine + executables + builtTests,
    swiftLanguageModes: [.v6]
)

/// The names of the targets that a target names as its dependencies.
func directNames(_ target: Target) -> [String] {
    target.dependencies.compactMap { dependency in
        switch dependency {
        case .byNameItem(let name, _), .targetItem(let name, _): name
        default: nil
        }
    }
}

// SwiftPM compiles a module again only if a target that it names as a dependency has changed. But a module is also compiled
// with the sizes of values from other targets: Formats keeps errors of Archives, which are failures of Diagnostics. With a
// stale size it would crash, so each target names all targets that it uses, in any number of steps.
let targetsByName = Dictionary(package.targets.map { ($0.name, $0) }) { first, _ in first }
for target in package.targets {
    let direct = directNames(target)
    var open = direct
    var used: Set<String> = []
    while let name = open.popLast() {
        guard let next = targetsByName[name], used.insert(name).inserted else { continue }
        open += directNames(next)
    }
    target.dependencies += used.subtracting(direct).filter { targetsByName[$0]?.type == .regular }.sorted()
        .map { .target(name: $0) }
}
