/// The generations of BibDesk's app, by the folders that they use.
public enum BibDeskGeneration: Int, Sendable, CaseIterable {
    /// Spring of 2012: libraries and papers side by side in the shared folder.
    case documents
    /// Summer of 2012: the same in its own folder.
    case flat
    /// Since November 2012: libraries in one folder, linked papers below another.
    case linkedFiles
}
