/// The generations of the BibDesk app, distinguished by the folders they use.
public enum BibDeskGeneration: Int, Sendable, CaseIterable {
    /// Spring of 2012: libraries and papers together in the shared folder.
    case documents
    /// Summer of 2012: libraries and papers together in a folder of their own.
    case flat
    /// Since November 2012: libraries in one folder, linked papers below another.
    case linkedFiles
}
