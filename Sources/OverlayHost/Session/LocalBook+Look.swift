import Formats
import Publications

extension LocalBook {
    /// What a look into a file tells: the format by content alone, the metadata, and what is damaged. A wrong extension decides
    /// nothing here.
    struct Look {
        /// The format of the content; nil if it is unknown.
        private(set) var format: Format?
        /// The metadata in the book; nil if there is none that can be read.
        private(set) var description: BookRecord?
        /// What is damaged, in sentences; nil if nothing is.
        private(set) var damage: String?
        /// Why the book's own cover is not there; nil if it is, is not wanted, or the book has none.
        private(set) var coverProblem: String?

        /// Looks into a local file.
        init(into path: String, known: KnownMetadata?) throws(HostError) {
            let content = try OpenContent(path: path)
            defer { content.close() }
            guard let format = content.formatByContent else { return }
            self.format = format
            do throws(PublicationError) {
                let info = try Publication.read(
                    from: content.source, name: content.name, format: format.mediaType)
                var book = BookRecord(path: "", info)
                if let known, known.wantsCovers { takeCover(of: info, into: &book, known) }
                description = book
                damage = Self.damage(of: info)
            } catch {
                // A format without metadata, or a damaged book: the reader app has the last word on it.
                if error.code == .damaged { damage = error.message }
            }
        }

        /// The parts of a book that are damaged or missing, without those that are merely unusual.
        private static func damage(of info: PublicationInfo) -> String? {
            let grave: Set<Shortcoming.Code> = [.damagedPart, .missingPart, .unreadablePart]
            let words = info.shortcomings.filter { grave.contains($0.code) }.prefix(2).map(\.description)
            return words.isEmpty ? nil : words.joined(separator: " ")
        }

        /// The bytes of the cover; a book without one is still a book.
        private mutating func takeCover(
            of info: PublicationInfo, into book: inout BookRecord, _ known: KnownMetadata
        ) {
            guard let cover = info.cover else { return }
            coverProblem = known.coverObstacle(UInt64(max(0, cover.size ?? 0)))
            guard coverProblem == nil else { return }
            do throws(PublicationError) {
                let image = [UInt8](try cover.read())
                coverProblem = known.coverObstacle(UInt64(image.count))
                guard coverProblem == nil else { return }
                book.cover?.data = image
                book.cover?.size = UInt64(image.count)
            } catch {
                coverProblem = error.message
            }
        }
    }
}
