// swift-tools-version: 6.2
import PackageDescription

// What an overlay in Swift is written against, as a package without dependencies. `make install` puts it beside the program.
let package = Package(
    name: "OverlayKit",
    products: [
        .library(name: "OverlayABI", targets: ["OverlayABI"]),
        .library(name: "OverlayKit", targets: ["OverlayKit"]),
    ],
    targets: [
        .target(name: "OverlayABI", path: "Sources/OverlayABI", exclude: ["overlay_layout_v1.def"]),
        .target(
            name: "OverlayKit", dependencies: ["OverlayABI"], path: "Sources/OverlayKit",
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")]),
    ],
    swiftLanguageModes: [.v6]
)
