/// Repairs the bytes of an XML file, so that a strict parser accepts files which readers of the protocol must
/// tolerate.
///
/// The following are always removed, because they have no meaning here: a byte-order mark, NUL bytes and white space
/// at the end, and the XML declaration (the encoding is always UTF-8, and a known typing error omits a quote in it).
/// The following are repaired only after a strict parse failed: the doubled `timestamp=`, and `<collections>` used as
/// its own end tag.
struct CommandFileRepair {
    private(set) var bytes: [UInt8]
    /// The start of the root element's start tag; nil if there is no element where the root must begin.
    private var rootStart: Int?
    /// Whether the text before the root element declares a document type.
    private(set) var declaresDocumentType = false

    init(_ source: [UInt8]) {
        var bytes = source[...]
        // A file that is being written may only contain a part of the mark.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if bytes.starts(with: mark) || mark.starts(with: bytes) { bytes = bytes.dropFirst(3) }
        while let last = bytes.last, last == 0 || CommandFileRepair.isSpace(last) { bytes = bytes.dropLast() }
        self.bytes = Array(bytes)
        blankDeclaration()
        findRoot()
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// Whether the file does not end with its root element, so that it may still be incomplete.
    var isCutOff: Bool {
        guard let rootStart else {
            // There is only a prolog, or a part of one.
            return bytes.first(where: { !CommandFileRepair.isSpace($0) }).map { $0 == UInt8(ascii: "<") }
                ?? true
        }
        let tag = bytes[rootStart...]
        let name = tag.dropFirst().prefix {
            !CommandFileRepair.isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/")
        }
        guard bytes.last == UInt8(ascii: ">") else { return true }
        var end = bytes.dropLast()
        while let last = end.last, CommandFileRepair.isSpace(last) { end = end.dropLast() }
        if end.count > name.count + 1, end.suffix(name.count).elementsEqual(name),
            end.dropLast(name.count).suffix(2).elementsEqual(Array("</".utf8))
        {
            return false
        }
        // An empty root element that closes itself is also complete.
        return !(end.last == UInt8(ascii: "/") && tag.firstIndex(of: UInt8(ascii: ">")) == bytes.endIndex - 1)
    }

    /// Repairs the known typing errors. Returns false if there were none.
    mutating func repairTypingErrors() -> Bool {
        let timestamp = removeDoubledTimestamp()
        let collections = closeCollections()
        return timestamp || collections
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private func matches(_ text: StaticString, at index: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index >= 0, index + count <= bytes.count else { return false }
        return text.withUTF8Buffer { $0.elementsEqual(bytes[index..<index + count]) }
    }

    private func firstIndex(of text: StaticString, from start: Int) -> Int? {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count else { return nil }
        let first = text.withUTF8Buffer { $0[0] }
        var index = start
        while index <= bytes.count - count {
            if bytes[index] == first, matches(text, at: index) { return index }
            index += 1
        }
        return nil
    }

    /// Overwrites the declaration with spaces, so that line numbers in errors remain correct.
    private mutating func blankDeclaration() {
        guard let start = bytes.firstIndex(where: { !CommandFileRepair.isSpace($0) }),
            matches("<?xml", at: start),
            start + 5 < bytes.count, CommandFileRepair.isSpace(bytes[start + 5]),
            let end = firstIndex(of: "?>", from: start)
        else { return }
        for index in start..<end + 2 where !CommandFileRepair.isSpace(bytes[index]) {
            bytes[index] = 0x20
        }
    }

    private mutating func findRoot() {
        var index = 0
        while index < bytes.count {
            if CommandFileRepair.isSpace(bytes[index]) {
                index += 1
            } else if matches("<!--", at: index) {
                guard let end = firstIndex(of: "-->", from: index + 4) else { return }
                index = end + 3
            } else if matches("<?", at: index) {
                guard let end = firstIndex(of: "?>", from: index + 2) else { return }
                index = end + 2
            } else if matches("<!DOCTYPE", at: index) {
                declaresDocumentType = true
                return
            } else {
                if bytes[index] == UInt8(ascii: "<"), !matches("<!", at: index) { rootStart = index }
                return
            }
        }
    }

    private mutating func removeDoubledTimestamp() -> Bool {
        guard let rootStart, let end = bytes[rootStart...].firstIndex(of: UInt8(ascii: ">")),
            let index = firstIndex(of: "timestamp=timestamp=", from: rootStart), index < end
        else { return false }
        bytes.removeSubrange(index..<index + 10)
        return true
    }

    /// Replaces a `<collections>` inside an open `<collections>` by the end tag that was intended.
    private mutating func closeCollections() -> Bool {
        guard let rootStart else { return false }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 64)
        var isOpen = false
        var changed = false
        var index = 0
        var copied = 0
        index = rootStart
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                index += 1
                continue
            }
            if matches("<!--", at: index) {
                index = firstIndex(of: "-->", from: index + 4) ?? bytes.count
            } else if matches("<![CDATA[", at: index) {
                index = firstIndex(of: "]]>", from: index + 9) ?? bytes.count
            } else if matches("</collections", at: index) {
                isOpen = false
                index += 13
            } else if matches("<collections>", at: index) {
                if isOpen {
                    output += bytes[copied..<index]
                    output += Array("</collections>".utf8)
                    copied = index + 13
                    changed = true
                }
                isOpen.toggle()
                index += 13
            } else {
                index += 1
            }
        }
        guard changed else { return false }
        output += bytes[copied...]
        bytes = output
        return true
    }
}
