"""Bars as SVG: for each kernel the share of the roofline that each side reaches. Filled with
mid tones, and text in a grey that is legible on light and dark pages."""
from xml.sax.saxutils import escape

COLOURS = {"search": "#3f8f4f", "recorded": "#8cc49a", "eager": "#4a6fa5", "compiled": "#c08a3a"}
WIDTH, LEFT, BAR, GAP, HEAD = 880, 290, 7, 8, 26


def draw(title, groups, sides):
    """`groups`: (heading, rows), rows (label, {side: share of the roofline}). A share above
    1 is drawn to the frame's end, where its number stands as well."""
    body, y = [], 40
    scale = (WIDTH - LEFT - 60) / 1.0
    x = LEFT
    for side in sides:
        body.append(f'<rect x="{x}" y="12" width="12" height="12" fill="{COLOURS[side]}"/>'
                    f'<text x="{x + 18}" y="22">{NAMES[side]}</text>')
        x += 150
    top = y
    for heading, rows in groups:
        if heading:
            y += HEAD - 8
            body.append(f'<text x="10" y="{y}" font-weight="bold">{escape(heading)}</text>')
            y += 8
        for label, shares in rows:
            height = BAR * len(shares)
            body.append(f'<text x="{LEFT - 10}" y="{y + height / 2 + 4:.1f}" text-anchor="end">'
                        f'{escape(label)}</text>')
            for side, share in shares.items():
                width = max(scale * min(share, 1.04), 1)
                body.append(f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 1}" '
                            f'fill="{COLOURS[side]}"/>')
                if side == "search":
                    body.append(f'<text x="{WIDTH - 4}" y="{y + height / 2 + 4:.1f}" '
                                f'text-anchor="end">{100 * share:.0f} %</text>')
                y += BAR
            y += GAP
    ticks = "".join(f'<text x="{LEFT + scale * part:.1f}" y="{y + 14}" font-size="10" '
                    f'text-anchor="middle">{100 * part:.0f} %</text>'
                    for part in (0, 0.25, 0.5, 0.75, 1))
    lines = "".join(
        f'<path d="M{LEFT + scale * part:.1f} {top} V{y}" stroke="#808080" '
        f'stroke-width="{1.5 if part == 1 else 0.5}"/>' for part in (0, 0.25, 0.5, 0.75, 1))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 20}" '
            f'width="{WIDTH}" height="{y + 20}" font-family="sans-serif" font-size="12" '
            f'fill="#808080" role="img" aria-label="{escape(title)}">\n'
            + lines + ticks + "\n" + "\n".join(body) + "\n</svg>\n")


NAMES = {"search": "evo-opt, search", "recorded": "evo-opt, recorded", "eager": "PyTorch eager",
         "compiled": "PyTorch compiled"}
