import Formats
import Publications

extension LocalBook {
    /// The result of examining a file: the format from its content, the metadata, and damage. The extension is not
    /// used.
    struct Look {
        /// The format of the content; nil if unknown.
        private(set) var format: Format?
        /// The metadata in the book; nil if it cannot be read.
        private(set) var description: BookRecord?
        /// The damage, in sentences; nil if there is none.
        private(set) var damage: String?
        /// Whether the file is an archive that cannot be opened, such as an interrupted download.
        private(set) var isCutOff = false
        /// The reason why the book's own cover is missing; nil if it is not missing, not wanted, or the book has
        /// none.
        private(set) var coverProblem: String?

        /// Examines a local file.
        init(into path: String, known: KnownMetadata?) throws(HostError) {
            let content = try OpenContent(path: path)
            defer { content.close() }
            guard let format = content.formatByContent else {
                isCutOff = Self.isCutOff(content)
                return
            }
            self.format = format
            do throws(PublicationError) {
                let info = try Publication.read(
                    from: content.source, name: content.name, format: format.mediaType)
                var book = BookRecord(path: "", info)
                if let known, known.wantsCovers { takeCover(of: info, into: &book, known) }
                description = book
                damage = Self.damage(of: info)
            } catch {
                // The format has no metadata, or the book is damaged. The reader app decides whether it can use the
                // book.
                if error.code == .damaged { damage = error.message }
            }
            if description == nil || damage != nil { isCutOff = Self.isCutOff(content) }
        }

        private static func isCutOff(_ content: OpenContent) -> Bool {
            do throws(HostError) {
                _ = try content.openArchive()
                return false
            } catch {
                return error.code == .damaged
            }
        }

        /// The damaged or missing parts of a book. Ignores parts that are only unusual.
        private static func damage(of info: PublicationInfo) -> String? {
            let grave: Set<Shortcoming.Code> = [.damagedPart, .missingPart, .unreadablePart]
            let words = info.shortcomings.filter { grave.contains($0.code) }.prefix(2).map(\.description)
            return words.isEmpty ? nil : words.joined(separator: " ")
        }

        /// Reads the cover. A book without a cover is still usable.
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
