import DeviceTransport
import HostContent
import HostErrors
import Publications

/// Reads the annotations in PDF files, with the words that highlights mark. If something cannot be read, `notice` is
/// called. Any thread.
struct PDFHighlights: Sendable {
    /// Reads the marked words.
    let words: MarkedWords
    private let cancellation: Cancellation
    private let notice: (@Sendable (String) -> Void)?

    init(_ request: SessionRequest) {
        words = MarkedWords(paths: request.paths)
        (cancellation, notice) = (request.cancellation, request.notice)
    }

    /// The annotations in a file, without words.
    ///
    /// - Throws: an error if the file cannot be read or is not a PDF file.
    func annotations(in content: OpenContent) throws(HostError) -> PDFAnnotations {
        do throws(PublicationError) {
            return try PDFAnnotations(from: content.source, name: content.name)
        } catch {
            throw HostError(error)
        }
    }

    /// The annotations in a file on the host.
    struct Reading {
        /// The annotations, with words if these can be read.
        var annotations: [Annotation]
        /// Whether the whole file could be read.
        var isComplete: Bool
        /// Whether words that highlights mark could not be read.
        var lacksWords = false
        /// Whether this is because the program for it is not installed.
        var lacksProgram: Bool
        /// Whether another attempt may read these words.
        var mayImprove = false
    }

    /// Reads the annotations in a file on the host.
    ///
    /// - Parameter title: the title of the book, for notices.
    /// - Returns: nil if the file cannot be read.
    /// - Throws: only `cancelled`.
    func read(_ path: String, title: String) throws(HostError) -> Reading? {
        let found: PDFAnnotations
        guard !cancellation.isCancelled else { throw HostError(.cancelled, "The command was cancelled.") }
        do throws(HostError) {
            let content = try OpenContent(path: path)
            defer { content.close() }
            found = try annotations(in: content)
        } catch {
            report(error, title)
            return nil
        }
        var reading = Reading(
            annotations: annotations(found, title), isComplete: found.shortcomings.isEmpty,
            lacksProgram: lacksProgram(for: found))
        do throws(HostError) {
            for (place, text) in try texts(found, in: path) {
                MarkedWords.add(text, to: &reading.annotations[place])
            }
            (reading.lacksWords, reading.mayImprove) = (reading.lacksProgram, reading.lacksProgram)
        } catch {
            guard error.code != .cancelled else { throw error }
            report(unreadWords: error, title)
            // The program would refuse the file again, or take as long.
            (reading.lacksWords, reading.mayImprove) = (true, ![.rejected, .timedOut].contains(error.code))
        }
        return reading
    }

    /// Converts the annotations in a file. Calls `notice` if some may be missing.
    func annotations(_ found: PDFAnnotations, _ title: String) -> [Annotation] {
        if let first = found.shortcomings.first {
            notice?("Some annotations of '\(title)' may be missing: \(first.description)")
        }
        return found.annotations.map { Annotation($0) }
    }

    /// Calls `notice` because the file of a book cannot be read.
    func report(_ error: HostError, _ title: String) {
        notice?("The annotations of '\(title)' could not be read: \(error.message)")
    }

    /// Calls `notice` because the words of highlights cannot be read.
    func report(unreadWords error: HostError, _ title: String) {
        notice?("The marked words of '\(title)' could not be read: \(error.message)")
    }

    /// The marked words of highlights, by the indexes of these.
    ///
    /// - Parameter file: the path on the host.
    /// - Throws: the errors of `MarkedWords.read`.
    func texts(_ found: PDFAnnotations, in file: String) throws(HostError) -> [Int: String] {
        guard MarkedWords.areMissing(from: found.annotations) else { return [:] }
        return try words.read(found.annotations, of: file, cancellation)
    }

    /// Whether highlights come without words because the program for this is not installed.
    func lacksProgram(for found: PDFAnnotations) -> Bool {
        words.missing != nil && MarkedWords.areMissing(from: found.annotations)
    }

    /// Calls `notice` because a program is not installed.
    func reportMissingProgram() {
        guard let missing = words.missing else { return }
        let parts = [
            "Highlights in PDF files come without the words that they mark.", missing.message, missing.hint,
        ]
        notice?(parts.compactMap { $0 }.joined(separator: " "))
    }
}

extension Annotation {
    /// Converts an annotation of a PDF file.
    fileprivate init(_ annotation: PDFAnnotation) {
        self.init(
            kind: annotation.kind == .highlight ? "highlight" : "note",
            location: "page \(annotation.page)", note: annotation.note, color: annotation.color,
            modified: annotation.modified, author: annotation.author)
    }
}
