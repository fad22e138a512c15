/// The identifier of a device, which programs spell in several ways.
package enum UDID {
    /// The identifier without differences of spelling: in lower case, and without the dash that newer identifiers
    /// have and the USB serial number does not have.
    package static func plain(_ udid: String) -> String { String(udid.lowercased().filter { $0 != "-" }) }

    /// Whether two texts identify the same device; each may be a UDID or the USB serial number.
    package static func isSame(_ one: String, _ other: String) -> Bool { plain(one) == plain(other) }
}
