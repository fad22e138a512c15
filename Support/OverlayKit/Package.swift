// swift-tools-version: 6.2
import PackageDescription

// The modules for overlays in Swift, as a package without dependencies. `make install` installs it with the program.
// OverlayKit alone does not need other libraries; the other modules need the development files of OpenSSL, SQLite and zlib.
let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

func system(_ name: String, _ pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let products = [
    "OverlayABI", "OverlayKit", "OverlayKitTesting", "BookFolders", "UploadPlanning", "Claims",
    "DeviceDatabases",
]

let package = Package(
    name: "OverlayKit",
    products: products.map { .library(name: $0, targets: [$0]) },
    targets: [
        system("COpenSSL", "openssl", apt: "libssl-dev"),
        system("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
        system("CZlib", "zlib", apt: "zlib1g-dev"),
        .target(name: "OverlayABI", path: "Sources/OverlayABI", exclude: ["overlay_layout_v1.def"]),
        .target(name: "CSystemShims", path: "Sources/CSystemShims"),
        library("CBOR", []),
        library("BookModel", []),
        library("OverlayBridge", ["OverlayABI", "BookModel", "CBOR"]),
        library("OverlayKit", ["OverlayABI", "BookModel", "OverlayBridge"]),
        library("Diagnostics", []),
        library("Platform", ["COpenSSL", "CSystemShims"]),
        library("JSON", ["Platform", "Diagnostics"]),
        library("Archives", ["CZlib", "Platform", "Diagnostics"]),
        library("OverlayKitTesting", ["OverlayKit", "OverlayABI", "OverlayBridge", "Platform"]),
        library("Claims", ["OverlayKit"]),
        library("UploadPlanning", ["OverlayKit"]),
        library("SQLite", ["CSQLite"]),
        library("DeviceDatabases", ["OverlayKit", "SQLite", "CSQLite", "Platform", "Diagnostics"]),
        library(
            "BookFolders",
            [
                "BookModel", "OverlayKit", "OverlayBridge", "UploadPlanning", "Claims", "Archives",
                "DeviceDatabases",
                "JSON",
                "Platform", "Diagnostics",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// Each target names all targets that it uses, in any number of steps, because the sizes of their values reach it. SwiftPM compiles it
// again only if a target that it names has changed.
func directNames(_ target: Target) -> [String] {
    target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
}
for target in package.targets {
    let direct = directNames(target)
    var (open, used) = (direct, Set<String>())
    while let name = open.popLast() {
        guard let next = package.targets.first(where: { $0.name == name }), used.insert(name).inserted else {
            continue
        }
        if next.type == .regular, !direct.contains(name) { target.dependencies.append(.byName(name: name)) }
        open += directNames(next)
    }
}
