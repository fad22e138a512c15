// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SatchelOverlay",
    products: [.library(name: "SatchelOverlay", type: .dynamic, targets: ["SatchelOverlay"])],
    dependencies: [
        // The folder of OverlayKit.
        .package(path: "../../Support/OverlayKit")
    ],
    targets: [
        .target(
            name: "SatchelOverlay",
            dependencies: [
                .product(name: "OverlayKit", package: "OverlayKit"),
                .product(name: "OverlayABI", package: "OverlayKit"),
            ],
            path: "Sources",
            // An overlay exports its one entry function and nothing else, and stays mapped.
            linkerSettings: [
                .unsafeFlags([
                    "-Xlinker", "--version-script=\(Context.packageDirectory)/overlay.map",
                    "-Xlinker", "-z", "-Xlinker", "nodelete",
                ])
            ])
    ],
    swiftLanguageModes: [.v6]
)
