func.func @f(%ctx: !hip.context, %c: i1, %x: memref<8xf32>, %o: memref<8xf32>)  {
  %a = memref.alloc() : memref<8xf32>
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  scf.if %c {
  hip.relu(%ctx) ins(%x : memref<8xf32>) outs(%o : memref<8xf32>)
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  }
  return
}
