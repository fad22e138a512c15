import Markup

extension PackageMetadataReader {
    /// The main title is the one that says so, else the first in display order that says nothing else (EPUB 3.3, 5.5.3.1.2).
    func readTitles(into metadata: inout PublicationMetadata) {
        let fields = inDisplayOrder(package.fields("title").filter { $0.deepText.collapsingSpace() != nil })
        let types = fields.map { package.refinement(of: $0, "title-type")?.lowercased() }
        let main =
            types.firstIndex(of: "main") ?? types.firstIndex(of: nil)
            ?? types.firstIndex { $0 != "subtitle" } ?? fields.indices.first
        guard let main else { return }
        let field = fields[main]
        metadata.title = field.deepText.collapsingSpace()
        metadata.alternateTitles = alternates(of: field)
        metadata.titleSort =
            package.metas("calibre:title_sort").lazy.compactMap { PackageDocument.value(of: $0) }.first
            ?? package.refinement(of: field, "file-as")
        if let subtitle = types.indices.first(where: { $0 != main && types[$0] == "subtitle" }) {
            metadata.subtitle = fields[subtitle].deepText.collapsingSpace()
        }
    }

    /// Series come from EPUB 3's collections or calibre's `meta` elements; sets and the like are collections.
    func readCollections(into metadata: inout PublicationMetadata) {
        var series: [PublicationSeries] = []
        var others: [(collection: PublicationSeries, type: String?)] = []
        let collections = package.fields.filter {
            $0.name == "meta" && PackageDocument.property(of: $0) == "belongs-to-collection"
        }
        for field in collections {
            guard let name = PackageDocument.value(of: field) else { continue }
            let position = package.refinement(of: field, "group-position")
            let collection = PublicationSeries(
                name, position: position.flatMap { self.position($0) },
                fileAs: package.refinement(of: field, "file-as"))
            let type = package.refinement(of: field, "collection-type")?.lowercased()
            if type == "series" { series.append(collection) } else { others.append((collection, type)) }
        }
        if let name = calibre("calibre:series") {
            let index = calibre("calibre:series_index").flatMap { position($0) }
            let stated = PublicationSeries(name, position: index)
            if let same = series.firstIndex(where: { $0.name == name }) {
                series[same].position = series[same].position ?? index
            } else {
                series.append(stated)
            }
        }
        // A collection of no stated kind that has numbers can only be meant as a series.
        if series.isEmpty,
            let numbered = others.firstIndex(where: { $0.type == nil && $0.collection.position != nil })
        {
            series.append(others.remove(at: numbered).collection)
        }
        metadata.series = series.first
        metadata.collections = series.dropFirst() + others.map(\.collection)
    }

    private func calibre(_ name: String) -> String? {
        package.metas(name).lazy.compactMap { PackageDocument.value(of: $0) }.first
    }

    /// The number a text begins with: `2`, `2.5`, `2,5`; of `1.2.3`, a place in nested groups, `1.2`.
    private func position(_ text: String) -> Double? {
        guard let value = PublicationSeries.position(text) else {
            note("series position", text)
            return nil
        }
        return value
    }
}
