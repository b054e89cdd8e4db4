"""Names that Verilog accepts."""

# IEEE 1364-2005, annex B
_KEYWORD_LINES = """
always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign default defparam
design disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify endtable
endtask event for force forever fork function generate genvar highz0 highz1 if ifnone incdir include initial inout
input instance integer join large liblist library localparam macromodule medium module nand negedge nmos nor
noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup
pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1
scalared showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table task time tran tranif0
tranif1 tri tri0 tri1 triand trior trireg unsigned use uwire vectored wait wand weak0 weak1 while wire wor xnor xor
"""
_KEYWORDS = frozenset(_KEYWORD_LINES.split())


def is_identifier(name: str) -> bool:
    """Return whether a name is valid as a Verilog module name without an escape."""
    return name.isascii() and name.isidentifier() and name not in _KEYWORDS


def escaped(name: str) -> str:
    """Return a name as Verilog text: a keyword needs a backslash before and a space after it."""
    return f"\\{name} " if name in _KEYWORDS else name
