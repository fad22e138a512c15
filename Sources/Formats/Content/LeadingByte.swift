/// The first byte of a text that tells what kind of text it is.
enum LeadingByte {
    /// The first byte after a byte order mark and blanks; of wider characters their byte below 128.
    static func of(_ bytes: [UInt8]) -> UInt8? {
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.first == 0
            || (bytes.count > 1 && bytes[1] == 0)
        {
            // UTF-16 and UTF-32 have zeros around the characters of ASCII, and marks of these bytes.
            while position < bytes.count,
                [0, 0xFE, 0xFF].contains(bytes[position]) || HTTPToken.isBlank(bytes[position])
            {
                position += 1
            }
        } else {
            while position < bytes.count, HTTPToken.isBlank(bytes[position]) { position += 1 }
        }
        return position < bytes.count ? bytes[position] : nil
    }
}
