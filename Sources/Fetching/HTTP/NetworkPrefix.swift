import Glibc

/// The addresses of one network: those that share the first bits of an address.
package struct NetworkPrefix: Sendable, Equatable {
    /// The bytes of an address in the network, in the order of the network: 4 or 16.
    private let bytes: [UInt8]
    /// As many bytes, with the bits that count.
    private let mask: [UInt8]

    /// The network of an address; the address alone without a mask of its family, or with one that covers all addresses.
    package init(_ address: IPAddress, mask: IPAddress?) {
        bytes = address.bytes
        if let mask, mask.bytes.count == address.bytes.count, mask.bytes.contains(where: { $0 != 0 }) {
            self.mask = mask.bytes
        } else {
            self.mask = address.bytes.map { _ in 0xFF }
        }
    }

    /// Whether an address is in the network, also one of version 4 that stands in one of version 6.
    package func contains(_ address: IPAddress) -> Bool {
        let other = address.unwrapped.bytes
        return other.count == bytes.count
            && zip(zip(bytes, other), mask).allSatisfy { pair, mask in (pair.0 ^ pair.1) & mask == 0 }
    }

    /// The networks that the interfaces of the computer are in now; nil if they cannot be listed. Any thread.
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
