import OverlayABI

extension Annotation {
    /// A copy of a record.
    package init(_ record: ovl_annotation) throws(OverlayError) {
        self.init(
            kind: try record.kind.string("annotation.kind"),
            location: try record.location.string("annotation.location"),
            text: try record.text.string("annotation.text"), note: try record.note.string("annotation.note"),
            color: try record.color.string("annotation.color"),
            modified: record.flags & OVL_ANNOTATION_HAS_MODIFIED != 0 ? record.modified : nil)
    }

    /// A record with views into `arena`.
    package func record(in arena: Arena) -> ovl_annotation {
        var record = ovl_annotation.sized()
        record.kind = arena.text(kind)
        record.location = arena.text(location)
        record.text = arena.text(text)
        record.note = arena.text(note)
        record.color = arena.text(color)
        if let modified {
            record.modified = modified
            record.flags |= OVL_ANNOTATION_HAS_MODIFIED
        }
        return record
    }
}
