// What is neither the name of an architecture nor that of a card is no target.
// RUN: evo-opt %s --split-input-file --verify-diagnostics -o /dev/null

// expected-error @+1 {{unknown target 'gfx90a', expected one such as sm_90}}
evo.kernel @k attributes {target = #evo.target<"gfx90a">} {
}

// -----
// expected-error @+1 {{unknown target 'sm_90x', expected one such as sm_90}}
evo.kernel @k attributes {target = #evo.target<"sm_90x">} {
}

// -----
// expected-error @+1 {{unknown target 'sm_', expected one such as sm_90}}
evo.kernel @k attributes {target = #evo.target<"sm_">} {
}

// -----
// expected-error @+1 {{unknown target '', expected one such as sm_90}}
evo.kernel @k attributes {target = #evo.target<"">} {
}

// -----
// expected-error @+2 {{expected string}}
// expected-error @+1 {{failed to parse Evo_TargetAttr parameter 'name'}}
evo.kernel @k attributes {target = #evo.target<90>} {
}
