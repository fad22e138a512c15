import CLibimobiledevice
import Glibc
import PropertyLists

/// Property lists between Swift and libplist.
enum LibplistConversion {
    /// The deepest nesting accepted from a device.
    private static let maximumDepth = 32

    /// The value of a node; nil for a node of another kind, or one nested too deeply. The caller still owns
    /// the node.
    static func value(of node: plist_t?, depth: Int = 0) -> DeviceValue? {
        guard let node, depth <= maximumDepth else { return nil }
        switch plist_get_node_type(node) {
        case PLIST_BOOLEAN:
            var flag: UInt8 = 0
            plist_get_bool_val(node, &flag)
            return .bool(flag != 0)
        case PLIST_UINT:
            var number: UInt64 = 0
            plist_get_uint_val(node, &number)
            return .integer(number)
        case PLIST_REAL:
            var number = 0.0
            plist_get_real_val(node, &number)
            return .real(number)
        case PLIST_STRING:
            var length: UInt64 = 0
            guard let text = plist_get_string_ptr(node, &length) else { return .string("") }
            return .string(
                String(
                    decoding: UnsafeRawBufferPointer(start: text, count: Int(clamping: length)), as: UTF8.self
                ))
        case PLIST_DATA:
            var length: UInt64 = 0
            guard let bytes = plist_get_data_ptr(node, &length) else { return .data([]) }
            return .data([UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(clamping: length))))
        case PLIST_DATE:
            var seconds: Int32 = 0
            var microseconds: Int32 = 0
            plist_get_date_val(node, &seconds, &microseconds)
            return .date(Double(seconds) + Double(microseconds) / 1_000_000)
        case PLIST_ARRAY:
            return .array(
                (0..<plist_array_get_size(node)).compactMap {
                    value(of: plist_array_get_item(node, $0), depth: depth + 1)
                })
        case PLIST_DICT:
            return .dictionary(dictionary(of: node, depth: depth))
        default:
            return nil
        }
    }

    private static func dictionary(of node: plist_t, depth: Int) -> [String: DeviceValue] {
        var iterator: plist_dict_iter?
        plist_dict_new_iter(node, &iterator)
        guard let iterator else { return [:] }
        defer { free(iterator) }
        var values: [String: DeviceValue] = [:]
        while true {
            var key: UnsafeMutablePointer<CChar>?
            var item: plist_t?
            plist_dict_next_item(node, iterator, &key, &item)
            guard let key else { return values }
            values[String(cString: key)] = value(of: item, depth: depth + 1)
            free(key)
        }
    }

    /// A new node; the caller frees it with `plist_free` or gives it to a container.
    static func node(_ value: DeviceValue) -> plist_t? {
        switch value {
        case .bool(let flag): return plist_new_bool(flag ? 1 : 0)
        case .integer(let number): return plist_new_uint(number)
        case .real(let number): return plist_new_real(number)
        case .string(let text): return plist_new_string(text)
        case .data(let bytes):
            return bytes.withUnsafeBytes {
                plist_new_data($0.bindMemory(to: CChar.self).baseAddress, UInt64($0.count))
            }
        case .date(let seconds): return plist_new_date(Int32(clamping: Int64(seconds)), 0)
        case .array(let items):
            let array = plist_new_array()
            for item in items { plist_array_append_item(array, node(item)) }
            return array
        case .dictionary(let items):
            let dictionary = plist_new_dict()
            for (key, item) in items { plist_dict_set_item(dictionary, key, node(item)) }
            return dictionary
        }
    }

    /// The value as an XML property list.
    static func encode(_ value: DeviceValue) throws(TransportError) -> [UInt8] {
        let root = node(value)
        defer { plist_free(root) }
        var text: UnsafeMutablePointer<CChar>?
        var length: UInt32 = 0
        plist_to_xml(root, &text, &length)
        guard let text else {
            throw TransportError(.internalFailure, "A property list could not be written.")
        }
        defer { plist_to_xml_free(text) }
        return [UInt8](UnsafeRawBufferPointer(start: text, count: Int(length)))
    }

    /// Reads an XML or binary property list that came from a device.
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> DeviceValue {
        let violation = TransportError(
            .protocolViolation, "The device's answer is not a property list.",
            hint: TransportError.reconnectHint)
        guard bytes.count >= 8, let start = bytes.bindMemory(to: CChar.self).baseAddress,
            let length = UInt32(exactly: bytes.count)
        else { throw violation }
        var node: plist_t?
        if plist_is_binary(start, length) != 0 {
            // libplist follows nested references without a limit, on the stack and in memory. Our parser has
            // limits, so it checks the list first.
            do throws(PropertyListError) {
                _ = try PropertyLists.PropertyList(parsing: bytes)
            } catch {
                throw violation
            }
            plist_from_bin(start, length, &node)
        } else {
            // libplist also recurses without a limit to free nested nodes.
            guard XMLNesting.depth(of: bytes, limit: maximumDepth) != nil else { throw violation }
            plist_from_xml(start, length, &node)
        }
        defer { plist_free(node) }
        guard let value = value(of: node) else { throw violation }
        return value
    }
}

/// Measures how deeply the containers of an XML property list are nested, without recursion, before a parser
/// sees it.
enum XMLNesting {
    /// The depth, or nil when it exceeds `limit`. Malformed XML is left to the parser.
    static func depth(of text: UnsafeRawBufferPointer, limit: Int) -> Int? {
        var depth = 0
        var deepest = 0
        var position = 0
        while let open = find("<", in: text, from: position) {
            position = open + 1
            if begins(with: "!--", text, at: position) {
                // Tags within comments and literal text do not count.
                position = find("-->", in: text, from: position + 3) ?? text.count
            } else if begins(with: "![CDATA[", text, at: position) {
                position = find("]]>", in: text, from: position + 8) ?? text.count
            } else if begins(with: "array", text, at: position) || begins(with: "dict", text, at: position) {
                position = find(">", in: text, from: position) ?? text.count
                if text[position - 1] == UInt8(ascii: "/") { continue }
                depth += 1
                deepest = max(deepest, depth)
                if depth > limit { return nil }
            } else if begins(with: "/array", text, at: position) || begins(with: "/dict", text, at: position)
            {
                depth = max(depth - 1, 0)
            }
        }
        return deepest
    }

    private static func find(_ what: StaticString, in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        while position < text.count {
            if begins(with: what, text, at: position) { return position }
            position += 1
        }
        return nil
    }

    private static func begins(with what: StaticString, _ text: UnsafeRawBufferPointer, at position: Int)
        -> Bool
    {
        let count = what.utf8CodeUnitCount
        guard position <= text.count - count else { return false }
        for index in 0..<count where text[position + index] != what.utf8Start[index] { return false }
        return true
    }
}
