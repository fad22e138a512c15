/// The keys and values in replies to GET_FILE_INFO and GET_DEVINFO: key, NUL, value, NUL, and so on, in order.
package struct AFCDictionary: Hashable, Sendable {
    /// One key with its value.
    package struct Field: Hashable, Sendable {
        /// The name, for example `st_size`.
        package var key: String
        /// The value. Bytes that are not UTF-8 are replaced by U+FFFD.
        package var value: String

        /// Creates a field. Neither the key nor the value may contain a NUL.
        package init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The fields in packet order, including unknown ones.
    package var fields: [Field]

    /// Creates a dictionary from fields, which are not checked.
    package init(_ fields: [Field]) {
        self.fields = fields
    }

    /// Parses the payload of a DATA reply. Throws `malformedReply` if a key has no value. The last NUL may be
    /// missing.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        var parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
        if bytes.isEmpty || bytes.last == 0 { parts.removeLast() }
        guard parts.count.isMultiple(of: 2) else {
            throw WireError(
                .malformedReply, "A key has no value among \(parts.count) strings.",
                subject: AFCOperation.data.name)
        }
        fields = stride(from: 0, to: parts.count, by: 2).map { index in
            Field(
                String(decoding: parts[index], as: UTF8.self),
                String(decoding: parts[index + 1], as: UTF8.self))
        }
    }

    /// The value of the first field with that key.
    package subscript(key: String) -> String? {
        fields.first { $0.key == key }?.value
    }

    /// Encodes the payload of a DATA reply.
    package func encode() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 2 })
        for field in fields {
            bytes.append(contentsOf: field.key.utf8)
            bytes.append(0)
            bytes.append(contentsOf: field.value.utf8)
            bytes.append(0)
        }
        return bytes
    }

    /// The value of a key as a decimal number; nil if the key is missing. Throws `malformedReply` if the value is not
    /// such a number.
    func number<Number: FixedWidthInteger>(_ key: String) throws(WireError) -> Number? {
        guard let text = self[key] else { return nil }
        guard let number = Number(text) else {
            throw WireError(
                .malformedReply, "\(key) is not a number: \(text.prefix(40)).",
                subject: AFCOperation.data.name)
        }
        return number
    }
}
