import Foundation
import TestSupport
import Testing

/// Builds an overlay of one file in C against the headers of the source tree, with all warnings as errors.
func compileC(_ source: URL, to library: String, in shop: Workshop, headers: URL? = nil) throws {
    let target = shop.folder.url.appendingPathComponent(library)
    try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    let include = headers ?? sourceFolder.appendingPathComponent("Sources/OverlayABI/include")
    let result = try shop.run(
        "cc",
        [
            "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Os", "-I", include.path, "-shared",
            "-fPIC", "-fvisibility=hidden", "-o", target.path, source.path,
        ])
    try #require(result.status == 0, "\(result.errors)")
}
