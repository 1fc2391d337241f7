"""Instance types, prices and MIG profiles that ship with the program, each with its source and date."""
