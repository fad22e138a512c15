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
        var fields: [Field] = []
        try Self.each(in: bytes) { key, value in
            fields.append(Field(key, String(decoding: value, as: UTF8.self)))
        }
        self.fields = fields
    }

    /// Calls `body` with each key and its value in the payload of a DATA reply. Throws `malformedReply` if a key has
    /// no value. The last NUL may be missing.
    static func each(
        in bytes: [UInt8], _ body: (String, ArraySlice<UInt8>) throws(WireError) -> Void
    ) throws(WireError) {
        var start = 0
        func next() -> ArraySlice<UInt8>? {
            guard start < bytes.count else { return nil }
            let end = bytes[start...].firstIndex(of: 0) ?? bytes.count
            defer { start = end + 1 }
            return bytes[start..<end]
        }
        while let key = next() {
            let name = String(decoding: key, as: UTF8.self)
            guard let value = next() else {
                throw WireError(
                    .malformedReply, "The key \(name.prefix(40)) has no value.",
                    subject: AFCOperation.data.name)
            }
            try body(name, value)
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
        return try Self.number(Array(text.utf8)[...], of: key)
    }

    /// A value as a decimal number. Throws `malformedReply` if it is not such a number.
    static func number<Number: FixedWidthInteger>(
        _ value: ArraySlice<UInt8>, of key: String
    ) throws(WireError) -> Number {
        guard let number: Number = number(value) else {
            throw WireError(
                .malformedReply,
                "\(key) is not a number: \(String(decoding: value, as: UTF8.self).prefix(40)).",
                subject: AFCOperation.data.name)
        }
        return number
    }

    /// A value as a decimal number; nil if it is not such a number.
    static func number<Number: FixedWidthInteger>(_ value: ArraySlice<UInt8>) -> Number? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value
        guard !digits.isEmpty, Number.isSigned || !isNegative else { return nil }
        var number: Number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let unit = Number(digit - UInt8(ascii: "0"))
            let (product, isLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) =
                isNegative
                ? product.subtractingReportingOverflow(unit) : product.addingReportingOverflow(unit)
            guard !isLarge, !isLarger else { return nil }
            number = sum
        }
        return number
    }
}
