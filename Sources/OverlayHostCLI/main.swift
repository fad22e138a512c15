print("overlayhost")
