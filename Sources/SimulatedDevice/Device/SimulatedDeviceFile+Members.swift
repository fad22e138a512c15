extension SimulatedDeviceFile {
    /// The members that a device file can have, by their names in the file; the rest is passed over.
    public static let memberNames = names(of: SimulatedDeviceFile())
    /// The members of an element of `apps`.
    public static let appMemberNames = names(of: App(bundleId: "", name: ""))
    /// The members of an element of `faults`.
    public static let faultMemberNames = names(of: FaultEntry(effect: ""))

    /// The stored properties in snake case, in the order of their declaration.
    private static func names(of value: some Codable) -> [String] {
        Mirror(reflecting: value).children.compactMap(\.label).map(SimulatedDeviceFileError.snakeCase)
    }
}
