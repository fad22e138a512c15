// swift-tools-version: 6.2
import PackageDescription

// What an overlay in Swift is written against, as a package without dependencies. `make install` puts it beside the program.
let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

let package = Package(
    name: "OverlayKit",
    products: [
        .library(name: "OverlayABI", targets: ["OverlayABI"]),
        .library(name: "OverlayKit", targets: ["OverlayKit"]),
        .library(name: "OverlayKitTesting", targets: ["OverlayKitTesting"]),
    ],
    targets: [
        .target(name: "OverlayABI", path: "Sources/OverlayABI", exclude: ["overlay_layout_v1.def"]),
        library("BookModel", []),
        library("OverlayBridge", ["OverlayABI", "BookModel"]),
        library("OverlayKit", ["OverlayABI", "BookModel", "OverlayBridge"]),
        library("OverlayKitTesting", ["OverlayKit", "OverlayABI", "OverlayBridge"]),
    ],
    swiftLanguageModes: [.v6]
)
