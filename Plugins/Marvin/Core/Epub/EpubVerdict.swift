/// What a file turned out to be.
enum EpubVerdict: Equatable {
    /// An EPUB, as far as its ZIP directory tells.
    case epub
    /// Begins as an EPUB must, but is broken; the text says how, as a sentence.
    case damaged(String)
    /// Something else; the text names it, such as "a PDF document".
    case other(String)
}
