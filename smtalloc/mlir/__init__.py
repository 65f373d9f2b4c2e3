"""MLIR in and out. The only room that imports xdsl; nothing is imported until a module of it is asked for."""
