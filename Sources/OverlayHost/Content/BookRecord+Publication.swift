import Publications

extension BookRecord {
    /// A book as its file describes it.
    package init(path: String, _ info: PublicationInfo) {
        self.init(path: path)
        let metadata = info.metadata
        uuid = metadata.uuid
        title = metadata.title
        titleSort = metadata.titleSort
        authors = metadata.authors.isEmpty ? nil : metadata.authors.map(\.name)
        authorSort = metadata.authorSort
        series = metadata.series?.name
        seriesIndex = metadata.series?.position.flatMap { $0.isFinite ? $0 : nil }
        publisher = metadata.publisher
        pubdate = metadata.published?.dayText
        description = metadata.description
        tags = metadata.subjects.isEmpty ? nil : metadata.subjects
        rating = metadata.rating
        format = info.format.string
        cover = info.cover.map { cover in
            BookCover(mediaType: cover.mediaType.string, size: cover.size.map { UInt64(max(0, $0)) })
        }
    }
}
