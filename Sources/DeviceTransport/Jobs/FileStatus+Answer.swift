import DeviceWire

extension FileStatus {
    /// Reads the answer to GET_FILE_INFO.
    init(_ answer: AFCAnswer, _ path: String) throws(TransportError) {
        let bytes = [UInt8](try answer.data(path))
        do throws(AFCWireError) {
            self.init(try AFCFileInfo(decoding: bytes))
        } catch {
            throw TransportError.violation(error.message).about(path)
        }
    }

    /// Reads the answer to GET_FILE_INFO; nil when there is nothing of this name.
    init?(ifThere answer: AFCAnswer, _ path: String) throws(TransportError) {
        if case .status(.objectNotFound) = answer { return nil }
        try self.init(answer, path)
    }

    private init(_ info: AFCFileInfo) {
        let kind: Kind =
            switch info.kind {
            case .file: .file
            case .folder: .folder
            case .symbolicLink: .link
            case .other: .other
            }
        self.init(
            kind: kind, size: info.size, modified: info.modified == 0 ? nil : info.modified,
            created: info.born,
            linkTarget: info.linkTarget)
    }
}
