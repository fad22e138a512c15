import Diagnostics
import OverlayABI
import OverlayBridge

/// Checks the result of an entry function and copies its tables.
package enum EntryReader {
    /// The tables of an overlay. Missing fields at their ends are zero.
    package struct Tables {
        package let entry: ovl_entry
        package let methods: ovl_methods
        package let descriptor: OverlayDescription
    }

    /// The number of bytes at the beginning of `ovl_entry` that contain the version. They are the same in every major
    /// version.
    package static let versionSize =
        (MemoryLayout<ovl_entry>.offset(of: \ovl_entry.abi_minor) ?? 0) + MemoryLayout<UInt32>.size

    /// Reads the record that `ovl_entry_v1` returned.
    package static func read(_ pointer: UnsafeRawPointer?) throws(OverlayRefusal) -> Tables {
        guard let pointer else {
            throw OverlayRefusal(.incompleteEntry, "The function ovl_entry_v1 returned null.")
        }
        let entry = try record(pointer, as: ovl_entry.self, needed: versionSize)
        // Check this before the size, because another major version may have other sizes.
        if let refusal = wrongMajor(entry.abi_major) { throw refusal }
        try check(pointer, "ovl_entry", needed: ovl_entry.smallest)
        guard let descriptor = entry.descriptor else { throw missing("descriptor") }
        guard let methods = entry.methods else { throw missing("methods") }
        guard entry.create != nil else { throw missing("create") }
        guard entry.destroy != nil else { throw missing("destroy") }
        let table = try record(UnsafeRawPointer(methods), as: ovl_methods.self)
        let description = try record(UnsafeRawPointer(descriptor), as: ovl_descriptor.self)
        return Tables(entry: entry, methods: table, descriptor: try DescriptorReader.read(description))
    }

    /// The refusal for a major version of the ABI; nil for the version of this host.
    static func wrongMajor(_ major: UInt32) -> OverlayRefusal? {
        if major == OVL_ABI_MAJOR { return nil }
        let isNewer = major > OVL_ABI_MAJOR
        return OverlayRefusal(
            isNewer ? .newerABI : .olderABI,
            "It was built for version \(major) of the overlay ABI; this host supports version "
                + "\(OVL_ABI_MAJOR).",
            hint: isNewer ? "Update overlayhost." : "Ask the overlay's author for a newer version.")
    }

    private static func missing(_ field: String) -> OverlayRefusal {
        OverlayRefusal(.incompleteEntry, "The entry record has no \(field), which every overlay needs.")
    }

    /// Copies a record of at least `needed` bytes; by default those that every overlay of this major version provides.
    private static func record<Record: ABIRecord>(
        _ pointer: UnsafeRawPointer, as type: Record.Type, needed: Int = Record.smallest
    ) throws(OverlayRefusal) -> Record {
        let name = "\(type)"
        try check(pointer, name, needed: needed)
        do throws(ViewFault) {
            return try Record.copy(at: pointer.assumingMemoryBound(to: type), smallest: needed)
        } catch {
            throw tooSmall(name, 0, needed: needed)
        }
    }

    private static func check(_ pointer: UnsafeRawPointer, _ name: String, needed: Int) throws(OverlayRefusal)
    {
        let size = ovl_entry.claimedSize(at: pointer)
        guard size >= needed else { throw tooSmall(name, size, needed: needed) }
    }

    private static func tooSmall(_ name: String, _ size: Int, needed: Int) -> OverlayRefusal {
        OverlayRefusal(
            .structTooSmall, "Its \(name) has \(size) bytes; version 1.0 of the overlay ABI needs \(needed).",
            hint: "struct_size must be sizeof(\(name)).")
    }
}
