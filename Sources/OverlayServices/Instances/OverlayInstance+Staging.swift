extension OverlayInstance {
    /// From now on small files are copied whole when the overlay reads parts of them before their metadata, and are fetched by
    /// these copies, until `discardStaged` or until the overlay changes something on the device.
    ///
    /// - Parameter prepare: gives the place for the copies when there is a first one, on the device thread; nil: none is copied.
    package func stage(_ prepare: @escaping @Sendable () -> StagingPlace?) {
        onThread { [context] in context.staged = StagedCopies(prepare) }
    }

    /// Removes the staged copies that were not fetched.
    package func discardStaged() { onThread { [context] in context.staged = nil } }
}
