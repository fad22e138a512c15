import OverlayHostCLI

CommandLineMain.run()
