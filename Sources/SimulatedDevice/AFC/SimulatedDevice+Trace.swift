extension SimulatedDevice {
    /// The latest requests of the file service, oldest first, at most 4,096 of them.
    public var fileRequests: [TracedRequest] { fileService.recorded }

    /// Calls `hook` for each request of the file service, carried out and about to be answered, in place of any former hook; nil ends it.
    ///
    /// The hook is called on the thread that serves the connection, several at a time when there are several
    /// connections, and delays that connection while it runs.
    public func onFileRequest(_ hook: (@Sendable (TracedRequest) -> Void)?) {
        fileService.setHook(hook)
    }
}
