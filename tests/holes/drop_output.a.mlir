func.func @f(%ctx: !hip.context)  {
  return
}
