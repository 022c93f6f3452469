raise RuntimeError("this file shadows another module")
