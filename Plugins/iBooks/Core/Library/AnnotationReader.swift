import FoundationEssentials
import Diagnostics
import BookFolders
import OverlayKit
import Platform
import PropertyLists

/// Reads the user's highlights, notes and bookmarks.
///
/// Books keeps a copy in the media folder for syncing, in two files of different age, whose layout has changed
/// several times. So every entry that names a book is used, wherever it is in the file.
struct AnnotationReader {
    /// The newer file and the older one.
    static let paths = ["/Books/com.apple.ibooks-sync.plist", "/Books/iBooksData2.plist"]
    private static let largest = 64 << 20
    private static let mostAnnotations = 200_000

    let host: HostServices

    /// The annotations, by the name of their book in upper case and sorted by location; nil if no file exists.
    ///
    /// - Throws: the error of the first file that cannot be read, so that its annotations do not count as deleted.
    func annotations() throws(OverlayError) -> [String: [Annotation]]? {
        let (annotations, failure) = try readableAnnotations()
        if let failure { throw failure }
        return annotations
    }

    /// The annotations in the files that can be read, as `annotations` returns them, and the error of the first other
    /// file.
    ///
    /// - Throws: only errors that end the running call.
    func readableAnnotations() throws(OverlayError) -> (
        annotations: [String: [Annotation]]?, failure: OverlayError?
    ) {
        var annotations: [String: [Annotation]] = [:]
        var seen: Set<String> = []
        var isRead = false
        var failure: OverlayError?
        for path in Self.paths {
            let bytes: [UInt8]
            do throws(OverlayError) {
                bytes = try host.transport.readAll(.media, path, limit: Self.largest)
            } catch {
                if error.endsTheCall { throw error }
                if error.status != .notFound { failure = failure ?? Self.unreadable(path, error) }
                continue
            }
            let list: PropertyList
            do throws(PropertyListError) {
                list = try PropertyList(parsing: bytes, limits: .file)
            } catch {
                failure = failure ?? Self.unreadable(path, OverlayError(.damaged, error.message))
                continue
            }
            isRead = true
            for entry in Self.entries(list) {
                guard let asset = entry["annotationAssetID"]?.string, !Self.isDeleted(entry),
                    let annotation = Self.annotation(entry)
                else { continue }
                // Both files may contain the same annotation.
                if let id = entry["annotationUuid"]?.string, !seen.insert(id).inserted { continue }
                annotations[asset.uppercased(), default: []].append(annotation)
            }
        }
        return (isRead ? annotations.mapValues(Self.sorted) : nil, failure)
    }

    /// The error of a file that exists and cannot be read.
    private static func unreadable(_ path: String, _ reason: OverlayError) -> OverlayError {
        var error = reason
        error.message = "Cannot read the highlights, notes and bookmarks: \(reason.message)"
        error.subject = path
        return error
    }

    /// All dictionaries that name a book.
    private static func entries(_ list: PropertyList) -> [[String: PropertyList]] {
        var found: [[String: PropertyList]] = []
        var pending = [list]
        while let next = pending.popLast(), found.count < mostAnnotations {
            switch next {
            case .array(let values): pending += values.reversed()
            case .dictionary(let values):
                if values["annotationAssetID"] != nil {
                    found.append(values)
                } else {
                    // Sorted by key, so that the same file always gives the same annotations.
                    pending += values.sorted { $0.key > $1.key }.map(\.value)
                }
            default: break
            }
        }
        return found
    }

    /// The annotations in reading order; those without a location come last, in their original order.
    private static func sorted(_ annotations: [Annotation]) -> [Annotation] {
        let places = annotations.enumerated().map { (steps($1.location), $0) }
        return places.sorted { one, other in
            guard one.0 != other.0 else { return one.1 < other.1 }
            guard !one.0.isEmpty, !other.0.isEmpty else { return other.0.isEmpty }
            return one.0.lexicographicallyPrecedes(other.0)
        }.map { annotations[$0.1] }
    }

    /// The numbers of the steps of an EPUB canonical fragment identifier, which define its order. Text in brackets is
    /// ignored.
    private static func steps(_ location: String?) -> [UInt64] {
        var steps: [UInt64] = []
        var isNumber = false
        var depth = 0
        var isEscaped = false
        for byte in (location ?? "").utf8.prefix(4096) {
            // A circumflex escapes the next character.
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "^"): isEscaped = true
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth = max(0, depth - 1)
            default: break
            }
            guard depth <= 0, let digit = UInt64(exactly: Int(byte) - 0x30), digit < 10 else {
                isNumber = false
                continue
            }
            if isNumber, let last = steps.popLast() {
                steps.append(last &* 10 &+ digit)
            } else {
                steps.append(digit)
            }
            isNumber = true
        }
        return steps
    }

    private static func isDeleted(_ entry: [String: PropertyList]) -> Bool {
        entry["annotationDeleted"]?.boolean ?? ((entry["annotationDeleted"]?.integer ?? 0) != 0)
    }

    /// Kind 1 is a bookmark and 2 a highlight, with or without a note; others are reading positions.
    private static func annotation(_ entry: [String: PropertyList]) -> Annotation? {
        let note = text(entry["annotationNote"])
        let marked = text(entry["annotationSelectedText"]) ?? text(entry["annotationRepresentativeText"])
        let kind: String
        switch entry["annotationType"]?.integer {
        case 1: kind = "bookmark"
        case 2: kind = note == nil ? "highlight" : "note"
        case nil where note != nil: kind = "note"
        case nil where marked != nil: kind = "highlight"
        default: return nil
        }
        return Annotation(
            kind: kind, location: text(entry["annotationLocation"]) ?? text(entry["futureProofing5"]),
            text: marked, note: note, color: kind == "bookmark" ? nil : color(entry),
            modified: time(entry["annotationModificationDate"]) ?? time(entry["annotationCreationDate"]))
    }

    private static func text(_ list: PropertyList?) -> String? {
        list?.string.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
    }

    private static func color(_ entry: [String: PropertyList]) -> String? {
        let isUnderline =
            entry["annotationIsUnderline"]?.boolean ?? (entry["annotationIsUnderline"]?.integer == 1)
        if isUnderline { return "underline" }
        guard let style = entry["annotationStyle"]?.integer else { return nil }
        let names = ["underline", "green", "blue", "yellow", "pink", "purple"]
        return names.indices.contains(Int(clamping: style)) ? names[Int(clamping: style)] : nil
    }

    /// A time in seconds since 1970. A number that would be before 2001 counts from 2001, because Books is newer.
    private static func time(_ list: PropertyList?) -> Int64? {
        let seconds: Double
        switch list {
        case .integer(let number): seconds = Double(number)
        case .real(let number): seconds = number
        case .string(let text):
            guard let number = Double(text) else { return nil }
            seconds = number
        case .date(let date): return Int64(exactly: date.timeIntervalSince1970.rounded(.down))
        default: return nil
        }
        guard seconds > 0, let whole = Int64(exactly: seconds.rounded(.down)), whole < 1 << 40 else {
            return nil
        }
        return whole < CivilTime.secondsTo2001 ? whole + CivilTime.secondsTo2001 : whole
    }
}
