import BibTeX

/// A document of a text.
func document(_ text: String) -> BibTeXDocument { BibTeXDocument(Array(text.utf8)) }

/// The text of a document.
func text(_ document: BibTeXDocument) -> String { String(decoding: document.bytes, as: UTF8.self) }

/// Libraries as different programs write them.
enum Samples {
    /// A library in BibDesk's layout with every kind of block.
    static let library = """
        %% This BibTeX bibliography file was created using BibDesk.
        %% https://bibdesk.sourceforge.io/

        %% Created for Ana Lima at 2026-07-18 10:11:12 +0200 \n
        %% Saved with string encoding Unicode (UTF-8) \n

        @preamble{"\\newcommand{\\x}{y}" # " more"}
        @comment{kept as it is}

        @bibdesk_info{document_info,
        \tname = {Ana's library}
        }

        @string{jot = {Journal of Things}}

        @article{Lima:2024aa,
        \tauthor = {Lima, Ana and de la Souza, Rui},
        \tdate-added = {2024-05-01 10:00:00 +0200},
        \tdate-modified = {2024-05-02 10:00:00 +0200},
        \tjournal = jot,
        \tkeywords = {Physics, Optics},
        \tmonth = may,
        \ttitle = {On {\\"u}ber {Things}},
        \tyear = 2024}

        @inbook{Child,
        \tchapter = {3},
        \tcrossref = {parent},
        \ttitle = {A Chapter}}

        @book{Parent,
        \tauthor = {Kim Lee},
        \ttitle = {The Whole},
        \tyear = {1999}}

        @comment{BibDesk Static Groups{
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <array>
        \t<dict>
        \t\t<key>group name</key>
        \t\t<string>To %7Bread%7D %40 home &amp; work</string>
        \t\t<key>keys</key>
        \t\t<string>Lima:2024aa,Gone</string>
        \t</dict>
        \t<dict>
        \t\t<key>group name</key>
        \t\t<string>Empty</string>
        \t\t<key>keys</key>
        \t\t<string></string>
        \t</dict>
        </array>
        </plist>
        }}

        @comment{BibDesk Smart Groups{
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <array>
        \t<dict>
        \t\t<key>conditions</key>
        \t\t<array>
        \t\t\t<dict>
        \t\t\t\t<key>comparison</key>
        \t\t\t\t<integer>2</integer>
        \t\t\t\t<key>key</key>
        \t\t\t\t<string>Title</string>
        \t\t\t\t<key>value</key>
        \t\t\t\t<string>things</string>
        \t\t\t\t<key>version</key>
        \t\t\t\t<string>1</string>
        \t\t\t</dict>
        \t\t</array>
        \t\t<key>conjunction</key>
        \t\t<integer>0</integer>
        \t\t<key>group name</key>
        \t\t<string>Things</string>
        \t</dict>
        </array>
        </plist>
        }}

        """

    /// Links in every known form, with their paths.
    static let links: [(FileLink.Form, String, String)] = [
        (
            .pathOnly, "paper.pdf",
            "YnBsaXN0MDDRAQJccmVsYXRpdmVQYXRoWXBhcGVyLnBkZggLGAAAAAAAAAEBAAAAAAAAAAMAAAAAAAAAAAAAAAAAAAAi"
        ),
        (
            .bookmark, "PDFs/Knuth 1984.pdf",
            "YnBsaXN0MDDSAQIDBFxyZWxhdGl2ZVBhdGhYYm9va21hcmtfEBNQREZzL0tudXRoIDE5ODQucGRmSGJvb2sEAAAACA0aIzkA"
                + "AAAAAAABAQAAAAAAAAAFAAAAAAAAAAAAAAAAAAAAQg=="
        ),
        (
            .alias, "Go\u{308}tberg/Go\u{308}tberg 2023.pdf",
            "YnBsaXN0MDDSAQIDBFxyZWxhdGl2ZVBhdGhZYWxpYXNEYXRhbxAaAEcAbwMIAHQAYgBlAHIAZwAvAEcAbwMIAHQAYgBlAHIA"
                + "ZwAgADIAMAAyADMALgBwAGQAZkMAAQIIDRokWwAAAAAAAAEBAAAAAAAAAAUAAAAAAAAAAAAAAAAAAABf"
        ),
        (
            .keyedArchive, "../Papers/old.pdf",
            "YnBsaXN0MDDUAQIDBAUGJCVYJHZlcnNpb25YJG9iamVjdHNZJGFyY2hpdmVyVCR0b3ASAAGGoKgHCBMUFRkaIVUkbnVsbNMJ"
                + "CgsMDxJXTlMua2V5c1pOUy5vYmplY3RzViRjbGFzc6INDoACgAOiEBGABIAFgAdZYWxpYXNEYXRhXHJlbGF0aXZlUGF0aNIW"
                + "CxcYV05TLmRhdGFEAAECA4AGXxARLi4vUGFwZXJzL29sZC5wZGbSGxwdHlokY2xhc3NuYW1lWCRjbGFzc2VzXU5TTXV0YWJs"
                + "ZURhdGGjHR8gVk5TRGF0YVhOU09iamVjdNIbHCIjXE5TRGljdGlvbmFyeaIiIF8QD05TS2V5ZWRBcmNoaXZlctEmJ1Ryb290"
                + "gAEACAARABoAIwAtADIANwBAAEYATQBVAGAAZwBqAGwAbgBxAHMAdQB3AIEAjgCTAJsAoACiALYAuwDGAM8A3QDhAOgA8QD2"
                + "AQMBBgEYARsBIAAAAAAAAAIBAAAAAAAAACgAAAAAAAAAAAAAAAAAAAEi"
        ),
        (
            .keyedArchive, "Sub/new.pdf",
            "YnBsaXN0MDDUAQIDBAUGHR5YJHZlcnNpb25YJG9iamVjdHNZJGFyY2hpdmVyVCR0b3ASAAGGoKcHCBMUFRYXVSRudWxs0wkK"
                + "CwwPEldOUy5rZXlzWk5TLm9iamVjdHNWJGNsYXNzog0OgAKAA6IQEYAEgAWABlxyZWxhdGl2ZVBhdGhZYWxpYXNEYXRhW1N1"
                + "Yi9uZXcucGRmQv/+0hgZGhtaJGNsYXNzbmFtZVgkY2xhc3Nlc1xOU0RpY3Rpb25hcnmiGhxYTlNPYmplY3RfEA9OU0tleWVk"
                + "QXJjaGl2ZXLRHyBUcm9vdIABCBEaIy0yNz9FTFRfZmlrbXBydHaDjZmcoay1wsXO4OPoAAAAAAAAAQEAAAAAAAAAIQAAAAAA"
                + "AAAAAAAAAAAAAOo="
        ),
        // The path is a separate object, a text in `NS.string`.
        (
            .keyedArchive, "Sub/text.pdf",
            "YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRBcmNoaXZl"
                + "ctEICVRyb290gAGmCwwVFhohVSRudWxs0w0ODxARE1YkY2xhc3NXTlMua2V5c1pOUy5vYmplY3RzgAWhEoACoRSAA1xyZWxh"
                + "dGl2ZVBhdGjSDRcYGVlOUy5zdHJpbmeABFxTdWIvdGV4dC5wZGbSGxwdHlokY2xhc3NuYW1lWCRjbGFzc2VzXxAPTlNNdXRh"
                + "YmxlU3RyaW5nox0fIFhOU1N0cmluZ1hOU09iamVjdNIbHCIjXE5TRGljdGlvbmFyeaIiIAAIABEAGgAkACkAMgA3AEkATABR"
                + "AFMAWgBgAGcAbgB2AIEAgwCFAIcAiQCLAJgAnQCnAKkAtgC7AMYAzwDhAOUA7gD3APwBCQAAAAAAAAIBAAAAAAAAACQAAAAA"
                + "AAAAAAAAAAAAAAEM"
        ),
    ]
}
