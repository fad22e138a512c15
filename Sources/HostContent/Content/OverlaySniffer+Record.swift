import Formats
import HostContract
import OverlayABI

extension OverlaySniffer {
    /// Creates a sniffer from a record, and checks its limits.
    package init(_ record: ovl_sniffer, owner: String) throws(ContractBreach) {
        let type = try record.media_type.readRequired("sniffer.media_type", limit: 1024)
        guard let mediaType = MediaType(type) else {
            throw ContractBreach(.argument, "The field sniffer.media_type is not a media type: \(type).")
        }
        let fileExtension = try record.extension.readRequired("sniffer.extension", limit: 255)
        let name = try record.name.readRequired("sniffer.name", limit: 1024)
        format = Format(mediaType: mediaType, name: name, fileExtension: fileExtension)
        extensions =
            [fileExtension] + (try record.extensions.read("sniffer.extensions", limit: Self.most) ?? [])
        mediaTypes =
            [mediaType]
            + (try record.media_types.read("sniffer.media_types", limit: Self.most) ?? []).compactMap {
                MediaType($0)
            }
        rules = try record.rules.read(ovl_sniff_rule.self, "sniffer.rules", limit: Self.most) {
            rule throws(ContractBreach) in try Rule(rule)
        }
        self.owner = owner
    }
}

extension OverlaySniffer.Rule {
    fileprivate init(_ record: ovl_sniff_rule) throws(ContractBreach) {
        let bytes = try record.bytes.read("sniff_rule.bytes", limit: OverlaySniffer.longest) ?? []
        switch record.kind {
        case OVL_RULE_MAGIC:
            guard record.offset <= OverlaySniffer.furthest, !bytes.isEmpty else {
                throw ContractBreach(
                    .argument, "A rule has no bytes, or looks beyond byte \(OverlaySniffer.furthest).")
            }
            self = .magic(bytes, offset: Int64(record.offset))
        case OVL_RULE_XML_ROOT:
            self = .xmlRoot(
                try record.name.readRequired("sniff_rule.name", limit: 1024),
                namespace: try record.value.read("sniff_rule.value", limit: 1024))
        case OVL_RULE_JSON_MEMBER:
            self = .jsonMember(
                try record.name.readRequired("sniff_rule.name", limit: 1024),
                text: try record.value.read("sniff_rule.value", limit: 4096))
        case OVL_RULE_ZIP_ENTRY:
            self = .zipEntry(
                try record.name.readRequired("sniff_rule.name", limit: BoundaryLimits.path), beginning: bytes)
        default: self = .unknown
        }
    }
}
