evo.kernel @nothing args [#evo.arg<"y" inout f32 ["N"]>] {
  evo.variant @empty {
  }
}
