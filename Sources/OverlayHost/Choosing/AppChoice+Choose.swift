extension AppChoice {
    /// Chooses by `--app`, else `preferred_reader_app`, else the only served app on the device.
    public static func choose(_ facts: AppChoiceFacts) throws(HostError) -> AppChoice {
        throw HostError(.appNotChosen, "No reader app is chosen.")
    }
}
