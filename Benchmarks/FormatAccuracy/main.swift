// Prints the table of docs/formats.md.
import FormatSamples

print(AccuracyTable.markdown(), terminator: "")
