// The first file of this module; replaced as the module is written.
