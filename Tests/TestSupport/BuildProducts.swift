import Foundation

/// The folder of the executables and libraries that were built together with the tests.
public func buildProductsFolder() throws -> URL {
    let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: executable).deletingLastPathComponent()
}
