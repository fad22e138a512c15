import Glibc

/// An IPv4 or IPv6 address.
package struct IPAddress: Sendable, Equatable, CustomStringConvertible {
    /// The bytes in network order: 4 or 16.
    let bytes: [UInt8]

    /// Parses an address as `inet_pton` does; nil if the text is not an address.
    package init?(_ text: String) {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            guard inet_pton(family, text, &bytes) == 1 else { continue }
            self.bytes = bytes
            return
        }
        return nil
    }

    /// The address of a socket; nil for other address families.
    init?(_ address: UnsafePointer<sockaddr>) {
        let memory = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            bytes = withUnsafeBytes(of: memory.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6:
            bytes = withUnsafeBytes(of: memory.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
    }

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether the address is in a range of the public internet. Ranges for loopback, private and link-local
    /// networks, multicast, documentation and other special purposes are not (IANA registries, RFC 6890). The host
    /// itself and its network can have public addresses.
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.special4.contains { isIn($0) } }
        let unwrapped = unwrapped
        if unwrapped != self { return unwrapped.isPublic }
        return isIn(Self.global6) && !Self.special6.contains { isIn($0) }
    }

    /// Whether the address is in the public internet and in none of these networks; false if the networks are
    /// unknown.
    package func isPublic(outside networks: [NetworkPrefix]?) -> Bool {
        guard let networks else { return false }
        return isPublic && !networks.contains { $0.contains(self) }
    }

    /// The IPv4 address embedded in an IPv6 address, directly or by a translator (RFC 6052); otherwise this address.
    var unwrapped: IPAddress {
        guard bytes.count == 16, isIn(Self.mapped) || isIn(Self.translated) else { return self }
        return IPAddress(bytes[12...])
    }

    // MARK: ranges

    private struct Range {
        let bytes: [UInt8]
        let bits: Int

        init(_ bits: Int, _ bytes: UInt8...) { (self.bits, self.bytes) = (bits, bytes) }
    }

    /// Whether the first bits match those of the range.
    private func isIn(_ range: Range) -> Bool {
        (0..<(range.bits + 7) / 8).allSatisfy { index in
            let wanted = range.bytes.indices.contains(index) ? range.bytes[index] : 0
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(8, range.bits - 8 * index))
            return (bytes[index] ^ wanted) & mask == 0
        }
    }

    private static let special4 = [
        Range(8, 0), Range(8, 10), Range(10, 100, 64), Range(8, 127), Range(16, 169, 254), Range(12, 172, 16),
        Range(24, 192, 0, 0), Range(24, 192, 0, 2), Range(24, 192, 88, 99), Range(16, 192, 168),
        Range(15, 198, 18), Range(24, 198, 51, 100), Range(24, 203, 0, 113), Range(4, 224), Range(4, 240),
    ]
    private static let mapped = Range(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF)
    private static let translated = Range(96, 0, 0x64, 0xFF, 0x9B)
    private static let global6 = Range(3, 0x20)
    /// Exceptions within the global addresses: tunnels to any address (Teredo, 6to4) and documentation.
    private static let special6 = [
        Range(23, 0x20, 0x01, 0), Range(32, 0x20, 0x01, 0x0D, 0xB8), Range(16, 0x20, 0x02),
        Range(20, 0x3F, 0xFF, 0),
    ]
}

/// The addresses of one network, which share their first bits.
package struct NetworkPrefix: Sendable, Equatable {
    /// The bytes of an address in the network, in network order: 4 or 16.
    private let bytes: [UInt8]
    /// The mask of the bits that count, with the same number of bytes.
    private let mask: [UInt8]

    /// Creates the network of an address. It is only the address if there is no mask of its family, or if the mask
    /// covers all addresses.
    package init(_ address: IPAddress, mask: IPAddress?) {
        bytes = address.bytes
        if let mask, mask.bytes.count == address.bytes.count, mask.bytes.contains(where: { $0 != 0 }) {
            self.mask = mask.bytes
        } else {
            self.mask = address.bytes.map { _ in 0xFF }
        }
    }

    /// Whether an address is in the network, also if it is an IPv4 address embedded in an IPv6 address.
    package func contains(_ address: IPAddress) -> Bool {
        let other = address.unwrapped.bytes
        return other.count == bytes.count
            && zip(zip(bytes, other), mask).allSatisfy { pair, mask in (pair.0 ^ pair.1) & mask == 0 }
    }

    /// The current networks of the host's interfaces; nil if they cannot be listed. Safe from any thread.
    package static func ofInterfaces() -> [NetworkPrefix]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { entry in
            guard let entry = entry?.pointee, let socket = entry.ifa_addr, let address = IPAddress(socket)
            else {
                return nil
            }
            return NetworkPrefix(address, mask: entry.ifa_netmask.flatMap { IPAddress($0) })
        }
    }
}
