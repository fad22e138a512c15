import Testing

/// A language of `overlayhost new`, with the requirements and products of its build.
struct Project: CustomTestStringConvertible, Sendable {
    var language: String
    /// The compiler, without which the project cannot be built.
    var compiler: String
    /// The path of the built library.
    var library: String

    static let c = Project(language: "c", compiler: "cc", library: "build/my_books.so")
    static let cpp = Project(language: "c++", compiler: "c++", library: "build/my_books.so")
    static let python = Project(language: "python", compiler: "cc", library: "build/my_books.so")
    static let rust = Project(
        language: "rust", compiler: "cargo", library: "target/debug/libmy_books_overlay.so")
    static let swift = Project(
        language: "swift", compiler: "swift", library: ".build/debug/libMyBooksOverlay.so")

    static let all = [c, cpp, python, rust, swift]

    var testDescription: String { language }
}
