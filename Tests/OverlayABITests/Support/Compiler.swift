import Foundation
import TestSupport
import Testing

/// A compiler and the language it is used for.
struct Compiler: CustomTestStringConvertible {
    var program: String
    var standard: String

    static let c = [Compiler(program: "gcc", standard: "c11"), Compiler(program: "clang", standard: "c11")]
    static let cpp = [
        Compiler(program: "g++", standard: "c++17"), Compiler(program: "clang++", standard: "c++17"),
    ]

    var testDescription: String { program }

    /// The compiler of the same make for C.
    var forC: Compiler { Compiler(program: program == "g++" ? "gcc" : "clang", standard: "c11") }

    private static let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]

    /// Runs the compiler with all warnings as errors, and fails the test if it complains.
    func run(_ arguments: [String]) throws {
        let folders = ["-I", SourceTree.include.path, "-I", SourceTree.abi.path]
        let result = try runProgram(program, ["-std=\(standard)"] + Self.warnings + folders + arguments)
        try #require(result.status == 0, "\(program) \(arguments.joined(separator: " ")):\n\(result.errors)")
    }
}
