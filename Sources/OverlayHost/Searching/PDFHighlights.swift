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
        /// Whether highlights have no words because the program for this is not installed.
        var lacksProgram: Bool
    }

    /// Reads the annotations in a file on the host.
    ///
    /// - Parameter title: the title of the book, for notices.
    /// - Returns: nil if the file cannot be read.
    /// - Throws: only `cancelled`.
    func read(_ path: String, title: String) throws(HostError) -> Reading? {
        let found: PDFAnnotations
        do throws(HostError) {
            let content = try OpenContent(path: path)
            defer { content.close() }
            found = try annotations(in: content)
        } catch {
            report(error, title)
            return nil
        }
        var reading = Reading(annotations: annotations(found, title), lacksProgram: lacksProgram(for: found))
        for (place, text) in try texts(found, in: .success(path), title) {
            MarkedWords.add(text, to: &reading.annotations[place])
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

    /// The marked words of highlights, by the indexes of these.
    ///
    /// - Parameter file: the path on this computer, or the reason why there is none.
    /// - Throws: only `cancelled` and `deviceGone`. For other errors, calls `notice`.
    func texts(
        _ found: PDFAnnotations, in file: Result<String, HostError>, _ title: String
    ) throws(HostError) -> [Int: String] {
        guard MarkedWords.areMissing(from: found.annotations) else { return [:] }
        do throws(HostError) {
            return try words.read(found.annotations, of: try file.get(), cancellation)
        } catch {
            if [.cancelled, .deviceGone].contains(error.code) { throw error }
            notice?("The marked words of '\(title)' could not be read: \(error.message)")
            return [:]
        }
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
